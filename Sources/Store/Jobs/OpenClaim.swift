internal import FoundationEssentials
internal import Postgres
internal import Synchronization

/// Identifies a batch of a lane that a worker took.
struct ClaimKey: Hashable, Sendable {
  let company: UUID
  let lane: UUID
  let no: Int64
}

/// A worker's view of a claim that is not acknowledged: its jobs, and which of them are done.
final class OpenClaim: Sendable {
  let lane: Lane
  /// Increases with the claims of the lane and is never reused; the fence of its jobs.
  let no: Int64
  /// The weekly partition of the claim.
  let week: CalendarDate
  /// By the database's clock.
  let claimedAt: Timestamp
  /// The worker's number of the claims that were made together.
  let batch: Int64
  /// The time for which it holds without a heartbeat of its worker.
  let lease: Duration

  /// The state of a job: open, done, or done with a record of its own.
  private enum End { case open, done, written }

  private struct State {
    var ends: [End] = []
    var ids: [UUID] = []
    var open = 0
    var isGivenUp = false
    var hasSuccess = false
    var limits: [JobRules.TokenKey] = []
  }

  private let state = Mutex(State())
  /// Separate from the state, since it is checked before every job.
  private let lost = Atomic(false)
  private let since: ContinuousClock.Instant
  /// A claim is unusual if it is open for longer: its finished jobs are recorded.
  private static let longTime: Duration = .seconds(1)

  init(
    lane: Lane,
    no: Int64,
    week: CalendarDate,
    claimedAt: Timestamp,
    batch: Int64,
    lease: Duration,
    since: ContinuousClock.Instant = .now
  ) {
    self.lane = lane
    self.no = no
    self.week = week
    self.claimedAt = claimedAt
    self.batch = batch
    self.lease = lease
    self.since = since
  }

  var key: ClaimKey { ClaimKey(company: lane.company, lane: lane.id, no: no) }

  /// Adds a job and returns its place.
  func add(_ id: UUID) -> Int {
    state.withLock {
      $0.ends.append(.open)
      $0.ids.append(id)
      $0.open += 1
      return $0.ends.count - 1
    }
  }

  /// True if another worker may have it by now.
  var isLost: Bool { lost.load(ordering: .acquiring) }

  func lose() { lost.store(true, ordering: .releasing) }

  /// True if no other job of it is open, so that the outcome of this one acknowledges the claim.
  func isLast(_ place: Int) -> Bool {
    state.withLock { $0.open == 1 && $0.ends[place] == .open && !$0.isGivenUp }
  }

  /// Notes that a job is done.
  ///
  /// - Parameters:
  ///   - isWritten: true if it has a record of its own.
  ///   - succeeded: true if it succeeded.
  /// - Returns: true if it was the last open job.
  func end(_ place: Int, isWritten: Bool, succeeded: Bool) -> Bool {
    state.withLock {
      guard $0.ends[place] == .open else { return false }
      $0.ends[place] = isWritten ? .written : .done
      if succeeded { $0.hasSuccess = true }
      $0.open -= 1
      return $0.open == 0
    }
  }

  /// Gives up a job that is not done: the claim has to be handed back.
  func giveUp(_ place: Int) {
    state.withLock {
      guard $0.ends[place] == .open else { return }
      $0.isGivenUp = true
      $0.ends[place] = .written
      $0.open -= 1
    }
  }

  /// True if it has to be handed back because the outcome of a job could not be written.
  var isGivenUp: Bool { state.withLock(\.isGivenUp) }

  /// True if any of its jobs succeeded.
  var hasSuccess: Bool { state.withLock(\.hasSuccess) }

  /// The limits that its jobs count towards.
  var limits: [JobRules.TokenKey] {
    get { state.withLock(\.limits) }
    set { state.withLock { $0.limits = newValue } }
  }

  /// The number of its jobs.
  var size: Int { state.withLock(\.ids.count) }

  /// The number of its jobs that are not done.
  var openCount: Int { state.withLock(\.open) }

  /// True if none of its jobs is open.
  var isIdle: Bool { state.withLock { $0.open == 0 } }

  /// True if it has been open for unusually long.
  var isOld: Bool { age > Self.longTime }

  /// The time for which it has been open.
  var age: Duration { age(at: .now) }

  /// The time for which it has been open at a given time.
  func age(at now: ContinuousClock.Instant) -> Duration { since.duration(to: now) }

  /// The jobs that are done but have no record of their own.
  var unwritten: [UUID] {
    state.withLock { state in state.ends.indices.filter { state.ends[$0] == .done }.map { state.ids[$0] } }
  }

  /// Notes that jobs have records of their own now.
  func markWritten(_ ids: [UUID]) {
    let written = Set(ids)
    state.withLock { state in
      for place in state.ends.indices where state.ends[place] == .done && written.contains(state.ids[place]) {
        state.ends[place] = .written
      }
    }
  }
}

extension ClaimKey: RowDecodable {
  init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    lane = try row.next()
    no = try row.next()
  }
}
