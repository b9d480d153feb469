package import Domain
package import FoundationEssentials
package import Postgres

/// The statements behind the numbers of records.
///
/// A new record takes the lowest counter above all committed ones that no concurrent creation has claimed.
/// The claim is an advisory lock on the counter, held until the transaction ends, so creations of one company
/// never wait for each other. Bulk creations reserve a block in a short transaction of their own.
package enum NumberStore {
  /// A claimed counter.
  package struct Claim: RowDecodable, Sendable {
    package let counter: Int64
    /// The company's own format; nil for the type's.
    package let format: String?

    package init(row: inout RowReader) throws(PostgresError) {
      counter = try row.next()
      format = try row.next()
    }
  }

  /// Waits while a block is being reserved; concurrent creations do not wait for each other. Runs before
  /// ``claim(_:_:company:above:)`` as a statement of its own, so that the claim sees the reservation.
  package static func pass(_ type: RecordType, company: UUID) -> SQL {
    "select pg_advisory_xact_lock_shared(hashtextextended(\(key(type, company)), 0))::text"
  }

  /// Claims counters above `highest`, in ascending order.
  ///
  /// The candidates are generated one by one, at most 100,000. Only the returned counters are locked, and
  /// counters that others have locked are skipped.
  package static func claim(
    _ count: Int = 1,
    _ type: RecordType,
    _ rule: NumberRule,
    company: UUID,
    above highest: Int64
  ) -> SQL {
    """
    with b as materialized (
      select greatest(\(max(highest, rule.start - 1)), \(top(type, company))) as top,
        (\(ownFormat(type, company: company))) as format
    )
    select c.counter, c.format
    from (select generate_series(b.top + 1, b.top + 100000) as counter, b.format from b) c
    where pg_try_advisory_xact_lock(hashtext(\(key(type, company))), (c.counter % 2147483647)::integer)
    limit \(Int64(count))
    """
  }

  /// Reads the highest committed or reserved counter; 0 if there is none. Runs again after a claim, because
  /// another creation may have committed in between.
  package static func highest(_ type: RecordType, company: UUID) -> SQL {
    "select coalesce(greatest(\(top(type, company))), 0)"
  }

  /// Reserves `count` numbers above all that are taken.
  ///
  /// Runs inside the company, in a short transaction of its own. It waits for the creations in progress, and
  /// later creations wait for it.
  package static func reserve(
    _ count: Int,
    of type: RecordType,
    _ rule: NumberRule,
    company: UUID,
    _ tx: Transaction
  ) throws -> NumberBlock {
    try tx.execute("select pg_advisory_xact_lock(hashtextextended(\(key(type, company)), 0))::text")
    let row = try tx.first(
      """
      insert into core.number_series as s (company_id, record_type, reserved)
      values (\(company), \(type.name), greatest(\(rule.start - 1), \(top(type, company))) + \(Int64(count)))
      on conflict (company_id, record_type) do update set reserved = excluded.reserved, updated_at = now()
      returning s.reserved, s.format
      """,
      Int64.self,
      String?.self
    )
    let (last, own) = row ?? (Int64(count), nil)
    return NumberBlock(
      format: try own.map { try NumberFormat($0) } ?? rule.format,
      first: last - Int64(count) + 1,
      count: Int64(count)
    )
  }

  /// Gives back the unused end of a block, unless higher numbers have been reserved since.
  package static func release(_ block: NumberBlock, of type: RecordType, company: UUID) -> SQL {
    """
    update core.number_series s
    set updated_at = now(), reserved = coalesce(
      (select max(t.number_seq) from \(type.table) t
       where t.company_id = \(company) and t.number_seq between \(block.first) and \(block.last)),
      \(block.first - 1))
    where s.company_id = \(company) and s.record_type = \(type.name) and s.reserved = \(block.last)
    """
  }

  /// Sets the format of a company's future numbers, and a lower bound for their counters; nil keeps either.
  package static func set(
    _ type: RecordType,
    format: NumberFormat?,
    reserved: Int64?,
    company: UUID
  ) -> SQL {
    """
    insert into core.number_series as s (company_id, record_type, format, reserved)
    values (\(company), \(type.name), \(nullable: format?.text), \(reserved ?? 0))
    on conflict (company_id, record_type) do update
    set format = coalesce(excluded.format, s.format), reserved = greatest(s.reserved, excluded.reserved),
      updated_at = now()
    """
  }

  /// Returns two expressions, each possibly null: the highest committed counter and the end of the last
  /// block.
  ///
  /// They do not use max(), which reads all numbers of the company under row-level security.
  private static func top(_ type: RecordType, _ company: UUID) -> SQL {
    """
    (select t.number_seq from \(type.table) t
     where t.company_id = \(company) and t.number_seq is not null
     order by t.number_seq desc
     limit 1),
    (select s.reserved from core.number_series s where s.company_id = \(company) and s.record_type = \(type.name))
    """
  }

  /// Reads the company's own format; no row or null stands for the type's format.
  package static func ownFormat(_ type: RecordType, company: UUID) -> SQL {
    "select s.format from core.number_series s where s.company_id = \(company) and s.record_type = \(type.name)"
  }

  private static func key(_ type: RecordType, _ company: UUID) -> String {
    "fettle.number \(company.uuidString) \(type.name)"
  }
}
