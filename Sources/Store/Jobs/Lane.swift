package import FoundationEssentials
internal import Postgres
internal import Secrets

/// The jobs of one company, queue, kind and priority, in the order in which they are claimed.
package struct Lane: Hashable, Sendable {
  package let company: UUID
  /// The second half of the company's id and a hash of the other three properties, as computed by
  /// `core.job_lane`.
  package let id: UUID
  package let queue: String
  package let kind: String
  package let priority: Int

  package init(company: UUID, id: UUID, queue: String, kind: String, priority: Int) {
    self.company = company
    self.id = id
    self.queue = queue
    self.kind = kind
    self.priority = priority
  }

  /// Creates the lane of a company's jobs of one queue, kind and priority, with the id that `core.job_lane`
  /// computes.
  package init(company: UUID, queue: String, kind: String, priority: Int) {
    let hash = MD5.hash("\(queue)/\(kind)/\(priority)").prefix(8).reduce(0) { $0 << 8 | UInt128($1) }
    self.init(
      company: company,
      id: UUID(number: company.number << 64 | hash),
      queue: queue,
      kind: kind,
      priority: priority
    )
  }

  package static func == (one: Lane, other: Lane) -> Bool { one.id == other.id }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }

  var place: RoundRobin<Lane>.Place { .init(priority: priority, queue: queue, company: company) }
}

/// A row of a poll: a lane with jobs or, in the first row, the snapshot up to which lanes were read.
struct ArrivedLane: RowDecodable, Sendable {
  /// Nil in the row with the snapshot.
  let lane: Lane?
  /// The snapshot as PostgreSQL writes it; nil in rows with a lane.
  let upto: String?

  init(row: inout RowReader) throws(PostgresError) {
    let company: UUID? = try row.next()
    let id: UUID? = try row.next()
    let queue: String? = try row.next()
    let kind: String? = try row.next()
    let priority: Int16? = try row.next()
    upto = try row.next()
    guard let company, let id, let queue, let kind, let priority else {
      lane = nil
      return
    }
    lane = Lane(company: company, id: id, queue: queue, kind: kind, priority: Int(priority))
  }
}
