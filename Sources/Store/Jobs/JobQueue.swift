internal import FoundationEssentials
package import Postgres
internal import Synchronization

/// Where workers take jobs from and hand them back: queued rows, claims and acknowledgements, none of which
/// is ever changed; see `sql/core/tables/09_jobs.sql`.
///
/// A claim gives a lease and a fence. What a job writes is committed with its success and only while the
/// claim holds, so a worker that lost its lease commits nothing. Times are the database's: a worker's own
/// clock is never asked.
///
/// What crosses companies is done by functions that see all of them and give a worker no more than it has
/// claimed; what comes of a job is written inside its company.
package final class JobQueue: Sendable {
  /// How many lanes are known by their ids, some 100 bytes each.
  private static let mostKnown = 100_000

  let database: Database
  let walk: Mutex<Walk>
  let workers = Mutex<[UUID: OpenClaims]>([:])
  let keeper: LimitKeeper
  /// Lanes that are paused or whose limits are reached, until the next poll.
  let blocked = Mutex<[Lane]>([])

  /// The lanes to go through, and up to what moment they are known.
  struct Walk {
    var lanes: LaneWalk
    /// As PostgreSQL writes it; nil: all lanes have to be scanned.
    var upto: String?
    /// How often it was said that nothing is known: a poll that was under way then does not count.
    var forgets = 0
    /// Lanes found by polls, by their ids.
    var known: [UUID: Lane] = [:]
    var width = BatchWidth()
    /// Whether the last claim left nothing to take.
    var isAtRest = true
  }

  /// - Parameters:
  ///   - database: connected as `fettle_worker`.
  ///   - weights: of queues, as their shares of a busy worker; 1 for those not named.
  package init(_ database: Database, weights: [String: Int] = [:]) {
    self.database = database
    keeper = LimitKeeper(database)
    walk = Mutex(Walk(lanes: LaneWalk(weights: weights)))
  }

  /// Polls for lanes with new jobs, and enqueues deferred jobs that are due.
  ///
  /// - Parameter enqueuesDue: whether to enqueue jobs that are due, which not every poll has to do.
  /// - Returns: the number of lanes that had no jobs before, and whether another poll may find more at once.
  @discardableResult
  package func poll(queues: Set<String>, kinds: Set<String>, enqueuesDue: Bool = true) async throws
    -> (new: Int, again: Bool)
  {
    let due = 1_000
    let enqueued =
      enqueuesDue ? try await database.value("select core.enqueue_due_jobs(\(Int32(due)))", as: Int.self) : 0
    let (since, forgets) = walk.withLock { ($0.upto, $0.forgets) }
    let rows = try await database.rows(
      since.map { "select * from core.poll_lanes(\($0)::pg_snapshot)" as SQL }
        ?? "select * from core.scan_lanes()",
      as: ArrivedLane.self
    )
    let new = walk.withLock { walk in
      if walk.forgets == forgets { walk.upto = rows.compactMap(\.upto).first ?? walk.upto }
      let lanes = rows.compactMap(\.lane).filter { queues.contains($0.queue) && kinds.contains($0.kind) }
      // Emptied when it is too large; unknown lanes are polled.
      if walk.known.count > Self.mostKnown { walk.known = [:] }
      for lane in lanes { walk.known[lane.id] = lane }
      // Each worker in an order of its own: in the same one they would follow each other from lane to lane.
      return walk.lanes.add(lanes.shuffled())
    }
    return (new, enqueued == due)
  }

  /// Forgets what is known of lanes, so that the next poll goes through all of them.
  package func forgetLanes() {
    walk.withLock {
      $0.upto = nil
      $0.forgets += 1
    }
  }

  /// Adds the lanes of which a notification told, if earlier polls have found all of them.
  ///
  /// - Returns: the number of them that had no jobs before; nil if a poll is needed.
  package func add(_ notification: JobNotification) -> Int? {
    guard let told = notification.lanes else { return nil }
    return walk.withLock { walk in
      let lanes = told.compactMap { walk.known[$0] }
      guard lanes.count == told.count else { return nil }
      return walk.lanes.add(lanes)
    }
  }

  /// Whether there are lanes that may have jobs.
  package var hasLanes: Bool { walk.withLock { !$0.lanes.isEmpty } }
}
