package import FoundationEssentials
package import Postgres

/// An import of a file that wrote records.
package struct RecordImport: RowDecodable, Sendable {
  package let number: Int64
  package let type: String
  /// The name of the file; empty if unknown.
  package let file: String
  package let requestID: UUID
  package let at: Instant
  package let actor: String
  /// The number of records of the type that it created.
  package let imported: Int64
  /// The number of existing records that it changed or completed.
  package let changed: Int64
  /// The number of other records that it created because lines refer to them.
  package let created: Int64
  package let undoneAt: Instant?
  package let undoneBy: String?

  package init(row: inout RowReader) throws(PostgresError) {
    number = try row.next()
    type = try row.next()
    file = try row.next()
    requestID = try row.next()
    at = try row.next()
    actor = try row.next()
    imported = try row.next()
    changed = try row.next()
    created = try row.next()
    undoneAt = try row.next()
    undoneBy = try row.next()
  }
}

/// The statements about imports.
package enum ImportStore {
  private static let columns: SQL = """
    i.number, i.record_type, i.file, i.request_id, i.at, i.actor_name, i.imported, i.changed, i.created, i.undone_at,
    i.undone_by
    """

  /// Waits for the imports of a company that have taken a number, until they have ended. Runs before
  /// ``insert(company:type:file:request:owner:actor:at:imported:changed:created:)`` as a statement of its own, so that
  /// the insertion sees their numbers.
  package static func pass(company: UUID) -> SQL {
    "select pg_advisory_xact_lock(hashtextextended(\("import \(company)"), 0))::text"
  }

  /// Inserts an import under the next number of the transaction's company, and returns the number.
  package static func insert(
    company: UUID,
    type: String,
    file: String,
    request: UUID,
    owner: UUID?,
    actor: String,
    at now: Instant,
    counts: (imported: Int, changed: Int, created: Int),
    lines: [UInt8]
  ) -> SQL {
    """
    insert into core.import (company_id, number, record_type, file, request_id, owner_id, at, actor_name, imported,
      changed, created, lines)
    values (\(company), core.next_import_number(), \(type), \(file), \(request), \(nullable: owner), \(now), \(actor),
      \(Int64(counts.imported)), \(Int64(counts.changed)), \(Int64(counts.created)), \(lines))
    returning number
    """
  }

  /// Selects the digests of the lines that have made records of a type, by import. Undone imports have none.
  package static func lines(company: UUID, type: String) -> SQL {
    """
    select i.number, i.lines from core.import i
    where i.company_id = \(company) and i.record_type = \(type) and i.undone_at is null and i.lines <> ''
    order by i.number
    """
  }

  /// Selects the newest imports.
  package static func newest(company: UUID, limit: Int) -> SQL {
    """
    select \(columns) from core.import i
    where i.company_id = \(company)
    order by i.number desc
    limit \(Int64(limit))
    """
  }

  /// Selects an import, and locks it against a second undoing.
  package static func lock(company: UUID, number: Int64) -> SQL {
    """
    select \(columns) from core.import i
    where i.company_id = \(company) and i.number = \(number)
    for no key update
    """
  }

  /// Selects the types and ids of the records that an import created.
  package static func records(company: UUID, request: UUID) -> SQL {
    """
    select h.record_type, h.record_id from core.history h
    where h.company_id = \(company) and h.request_id = \(request) and h.seq = 1 and h.kind = 'import'
    order by h.record_type, h.record_id
    """
  }

  /// Marks an import as undone.
  package static func undo(company: UUID, number: Int64, by actor: String, at now: Instant) -> SQL {
    """
    update core.import
    set undone_at = \(now), undone_by = \(actor)
    where company_id = \(company) and number = \(number)
    """
  }

  /// Selects those of some tombstones that imports created which were undone: their lines are new again.
  package static func undone(_ ids: [UUID], of type: RecordType, company: UUID) -> SQL {
    """
    select h.record_id
    from core.history h
    join core.import i on i.company_id = h.company_id and i.request_id = h.request_id
    join \(type.table) t on t.company_id = h.company_id and t.id = h.record_id
    where h.company_id = \(company) and h.record_type = \(type.name) and h.record_id = any (\(ids)) and h.seq = 1
      and i.undone_at is not null and t.deleted_at is not null
    """
  }
}
