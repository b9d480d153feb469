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

  package init(recordType: String, recordID: UUID, owner: UUID? = nil, operation: Operation, version: Int64) {
    self.recordType = recordType
    self.recordID = recordID
    self.owner = owner
    self.operation = operation
    self.version = version
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
  /// - Parameter revision: if the company's workflow revision differs from it, the statement fails. The gate
  ///   keeps the revision unchanged until the commit.
  package static func write(
    _ changes: [FeedChange],
    company: UUID,
    now: Instant,
    under revision: Int64? = nil
  ) -> SQL {
    """
    insert into core.feed (company_id, scope, record_type, record_id, seq, op, version, changed_at)
    select \(company), x.scope, x.record_type, x.record_id, l.seq + x.n, x.op, x.version, \(now)
    from (
      select greatest(
        coalesce((select max(f.seq) from core.feed f where f.company_id = \(company)), 0),
        (select g.floor from core.sync_gate g where g.company_id = \(company))
      )\(revision.map { unchanged($0, company: company) } ?? "") as seq
    ) l
    cross join unnest(
      \(changes.map(\.scope)), \(changes.map(\.recordType)), \(changes.map(\.recordID)),
      \(changes.map(\.operation.rawValue)), \(changes.map(\.version))
    ) with ordinality x (scope, record_type, record_id, op, version, n)
    \(changes.allSatisfy { $0.version == 1 && $0.operation == .put } ? "" : replacing)
    """
  }

  /// Returns the statement that numbers the changes of new records, and writes only the last version of each.
  ///
  /// The numbers are the same as if all versions had been written one by one: first all first versions, then
  /// all second versions, and so on.
  ///
  /// - Parameter times: the time of each change; a time in the future is replaced by the current time.
  package static func writeSeeds(_ changes: [FeedChange], at times: [Instant], company: UUID) -> SQL {
    """
    insert into core.feed (company_id, scope, record_type, record_id, seq, op, version, changed_at)
    select \(company), x.scope, x.record_type, x.record_id, l.seq + x.n, x.op, x.version, least(x.at, now())
    from (
      select greatest(
        coalesce((select max(f.seq) from core.feed f where f.company_id = \(company)), 0),
        (select g.floor from core.sync_gate g where g.company_id = \(company))
      ) as seq
    ) l
    cross join unnest(
      \(changes.map(\.scope)), \(changes.map(\.recordType)), \(changes.map(\.recordID)), \(places(changes)),
      \(changes.map(\.operation.rawValue)), \(changes.map(\.version)), \(times)
    ) x (scope, record_type, record_id, n, op, version, at)
    """
  }

  /// Returns the number of the last version of each record, counted from 1.
  private static func places(_ changes: [FeedChange]) -> [Int64] {
    var places = changes.map { _ in Int64(0) }
    var (taken, version, open) = (Int64(0), Int64(1), Array(changes.indices))
    while !open.isEmpty {
      for index in open {
        taken += 1
        if changes[index].version == version { places[index] = taken }
      }
      open.removeAll { changes[$0].version <= version }
      version += 1
    }
    return places
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
