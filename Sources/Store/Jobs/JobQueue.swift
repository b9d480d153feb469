internal import FoundationEssentials
package import Postgres
internal import Synchronization

/// Takes jobs for workers and ends them. Queued rows, claims and acknowledgements are never changed; see
/// `sql/core/tables/09_jobs.sql`.
///
/// A claim has a lease and a fence. The effects of a job are committed with its success and only while the
/// claim holds, so a worker that lost its lease commits nothing. Leases and due times are judged by the
/// database's clock only.
///
/// Entry functions work across companies and give a worker only the jobs that it has claimed. The outcome of
/// a job is written inside its company.
package final class JobQueue: Sendable {
  /// The maximum number of lanes known by id, about 100 bytes each.
  private static let mostKnown = 100_000

  let database: Database
  let walk: Mutex<Walk>
  let workers = Mutex<[UUID: OpenClaims]>([:])
  let keeper: LimitKeeper
  /// Lanes that are paused or whose limits are reached; a poll, changed rules or an ended job returns them.
  let blocked = Mutex<[Lane]>([])

  /// The lanes to claim from, and the snapshot up to which they are known.
  struct Walk {
    var lanes: LaneWalk
    /// The snapshot as PostgreSQL writes it; nil if all lanes have to be scanned.
    var upto: String?
    /// The number of calls of ``JobQueue/forgetLanes()``. A poll that overlaps one does not set ``upto``.
    var forgets = 0
    /// Lanes found by polls, by their ids.
    var known: [UUID: Lane] = [:]
    var width = BatchWidth()
    /// True if the last claim left no lane to claim from.
    var isAtRest = true
  }

  /// - Parameters:
  ///   - database: connected as `fettle_worker`.
  ///   - weights: the shares of queues in a busy worker, by name; 1 for all other queues.
  package init(_ database: Database, weights: [String: Int] = [:]) {
    self.database = database
    keeper = LimitKeeper(database)
    walk = Mutex(Walk(lanes: LaneWalk(weights: weights)))
  }

  /// Enqueues up to 1,000 deferred jobs that are due, and adds the lanes with new jobs of these queues and
  /// kinds.
  ///
  /// - Parameter enqueuesDue: false to leave due jobs deferred, since not every poll has to enqueue them.
  /// - Returns: the number of lanes that were not in the walk, and true if more deferred jobs may be due.
  @discardableResult
  package func poll(queues: Set<String>, kinds: Set<String>, enqueuesDue: Bool = true) async throws
    -> (new: Int, again: Bool)
  {
    let due = 1_000
    let enqueued =
      enqueuesDue
      ? try await database.value("select core.enqueue_due_jobs(\(Int32(clamping: due)))", as: Int.self) : 0
    let (since, forgets) = walk.withLock { ($0.upto, $0.forgets) }
    let rows = try await database.rows(
      since.map { "select * from core.poll_lanes(\($0)::pg_snapshot)" as SQL }
        ?? "select * from core.scan_lanes()",
      as: ArrivedLane.self
    )
    let new = walk.withLock { walk in
      if walk.forgets == forgets { walk.upto = rows.compactMap(\.upto).first ?? walk.upto }
      let lanes = rows.compactMap(\.lane).filter { queues.contains($0.queue) && kinds.contains($0.kind) }
      // Cleared when it is too large: a notification that names an unknown lane causes a poll.
      if walk.known.count > Self.mostKnown { walk.known = [:] }
      for lane in lanes { walk.known[lane.id] = lane }
      // In random order: with the same order, workers would follow each other from lane to lane.
      return walk.lanes.add(lanes.shuffled())
    }
    return (new, enqueued == due)
  }

  /// Makes the next poll scan all lanes.
  package func forgetLanes() {
    walk.withLock {
      $0.upto = nil
      $0.forgets += 1
    }
  }

  /// Adds the lanes of a notification, if earlier polls have found all of them.
  ///
  /// - Returns: the number of lanes that were not in the walk; nil if a poll is needed.
  package func add(_ notification: JobNotification) -> Int? {
    guard let told = notification.lanes else { return nil }
    return walk.withLock { walk in
      let lanes = told.compactMap { walk.known[$0] }
      guard lanes.count == told.count else { return nil }
      return walk.lanes.add(lanes)
    }
  }

  /// True if there are lanes that may have jobs.
  package var hasLanes: Bool { walk.withLock { !$0.lanes.isEmpty } }
}
