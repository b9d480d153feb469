package import FoundationEssentials
package import Postgres

/// A change of a record, for the devices that synchronise a company.
package struct FeedChange: Sendable {
  /// The effect of the change for a device.
  package enum Operation: String, Sendable {
    case put, delete, leave
  }

  package let recordType: String
  package let recordID: UUID
  /// The owner, for a private type; nil for a company-wide type.
  package let owner: UUID?
  package let operation: Operation
  /// The version of the record after the change.
  package let version: Int64
  /// The time of the last change of a generated record; nil for a change that is made now.
  let at: Instant?
  /// What the change does to the record, if no entry of the history in the same unit of work says so.
  let effect: RecordEffect?

  package init(
    recordType: String,
    recordID: UUID,
    owner: UUID? = nil,
    operation: Operation,
    version: Int64,
    at: Instant? = nil,
    effect: RecordEffect? = nil
  ) {
    self.recordType = recordType
    self.recordID = recordID
    self.owner = owner
    self.operation = operation
    self.version = version
    self.at = at
    self.effect = effect
  }

  /// The part of the feed that the change belongs to: one for each type, and for private types one for each
  /// type and owner.
  var scope: String {
    owner.map { "\(recordType)/\($0.uuidString.lowercased())" } ?? recordType
  }
}

/// The end of every unit of work: the gate, then the feed.
///
/// The gate row is locked and never updated. Its holder numbers changes after the last committed ones, so
/// that a reader's cursor cannot pass a change that commits later. After the gate, nothing may wait for a
/// lock.
package enum FeedWriter {
  /// Returns the statement that locks the company's gate.
  package static func gate(company: UUID) -> SQL {
    "select 1 from core.sync_gate where company_id = \(company) for no key update"
  }

  /// Returns the statement that numbers `changes` after the company's last change and writes them. The feed
  /// has one row for each scope and record.
  ///
  /// The first version of a record has no row yet. If all changes are first versions, as in an import, the
  /// statement has no conflict clause.
  ///
  /// - Parameters:
  ///   - dependants: the query of ``FeedDependants``; nil for none. They are numbered after the changes.
  ///   - now: the time of the changes; nil for that of the transaction. Generated changes have a time of their own, and
  ///     each of their versions takes a number.
  ///   - revision: if the company's workflow revision differs from it, the statement fails. The gate keeps the revision
  ///     unchanged until the commit.
  package static func write(
    _ changes: [FeedChange],
    with dependants: SQL? = nil,
    company: UUID,
    now: Instant? = nil,
    under revision: Int64? = nil
  ) -> SQL {
    let times = changes.compactMap(\.at)
    let time: SQL = now.map { "\($0)" } ?? "now()"
    let (column, own): (SQL, SQL) = times.isEmpty ? ("", "") : (", at", ", \(times)")
    let number: SQL = times.isEmpty ? "x.n" : "(sum(x.version) over (order by x.n))::bigint"
    let at: SQL = times.isEmpty ? time : "least(x.at, \(time))"
    var rows: SQL = """
      select x.scope, x.record_type, x.record_id, x.op, x.version, \(number) as n, \(at) as at
      from unnest(
        \(changes.map(\.scope)), \(changes.map(\.recordType)), \(changes.map(\.recordID)),
        \(changes.map(\.operation.rawValue)), \(changes.map(\.version))\(own)
      ) with ordinality x (scope, record_type, record_id, op, version\(column), n)
      """
    if let dependants {
      rows = """
        \(rows)
        union all
        select d.scope, d.record_type, d.id, 'put', d.version, \(Int64(changes.count)) + row_number() over (), \(time)
        from (\(dependants)) d
        """
    }
    let isFirst = dependants == nil && changes.allSatisfy { $0.version == 1 && $0.operation == .put }
    return """
      insert into core.feed (company_id, scope, record_type, record_id, seq, op, version, changed_at)
      select \(company), x.scope, x.record_type, x.record_id, l.seq + x.n, x.op, x.version, x.at
      from (\(last(company: company))\(revision.map { unchanged($0, company: company) } ?? "") as seq) l
      cross join (\(rows)) x
      \(isFirst ? "" : replacing)
      """
  }

  /// Returns the statement that numbers dependants after the company's last change and writes them.
  static func write(dependants: SQL, company: UUID, now: Instant) -> SQL {
    """
    insert into core.feed (company_id, scope, record_type, record_id, seq, op, version, changed_at)
    select \(company), d.scope, d.record_type, d.id, l.seq + row_number() over (), 'put', d.version, \(now)
    from (\(dependants)) d cross join (\(last(company: company)) as seq) l
    \(replacing)
    """
  }

  /// The beginning of a query of the company's last number.
  private static func last(company: UUID) -> SQL {
    """
    select greatest(
      coalesce((select max(f.seq) from core.feed f where f.company_id = \(company)), 0),
      (select g.floor from core.sync_gate g where g.company_id = \(company))
    )
    """
  }

  private static func unchanged(_ revision: Int64, company: UUID) -> SQL {
    """
     + (
      select case when c.workflow_revision = \(revision) then 0 else core.refuse_superseded() end
      from core.company c where c.id = \(company)
    )
    """
  }

  private static let replacing: SQL = """
    on conflict (company_id, scope, record_id) do update
    set seq = excluded.seq, op = excluded.op, version = excluded.version, changed_at = excluded.changed_at
    """
}
