internal import FoundationEssentials
internal import Postgres
internal import Synchronization

/// Identifies a claim by its company, its lane and its number in the lane.
struct ClaimKey: Hashable, Sendable {
  let company: UUID
  let lane: UUID
  let no: Int64
}

/// An unacknowledged claim as its worker sees it: the jobs, and which of them are done.
final class OpenClaim: Sendable {
  let lane: Lane
  /// The number of the claim. It increases with each claim of the lane and is never reused: it is the fence
  /// of the claim's jobs.
  let no: Int64
  /// The weekly partition of the claim.
  let week: LocalDate
  /// The time of the claim, by the database's clock.
  let claimedAt: Instant
  /// The worker's number for claims that were made together, from 1.
  let batch: Int64
  /// The length of the worker's lease: the claim holds for this time without a heartbeat.
  let lease: Duration

  /// The state of a job: open, done, or done with a record of its own. A job that was given up counts as
  /// written.
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
  /// Outside the mutex, because it is checked before every job.
  private let lost = Atomic(false)
  private let since: ContinuousClock.Instant
  /// The age at which heartbeats begin to record the finished jobs of a claim.
  private static let longTime: Duration = .seconds(1)

  init(
    lane: Lane,
    no: Int64,
    week: LocalDate,
    claimedAt: Instant,
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

  /// Adds an open job and returns its position in the claim, from 0.
  func add(_ id: UUID) -> Int {
    state.withLock {
      $0.ends.append(.open)
      $0.ids.append(id)
      $0.open += 1
      return $0.ends.count - 1
    }
  }

  /// True if another worker may run the claim's jobs by now.
  var isLost: Bool { lost.load(ordering: .acquiring) }

  func lose() { lost.store(true, ordering: .releasing) }

  /// True if no other job is open and none was given up, so that the outcome of this job acknowledges the
  /// claim.
  func isLast(_ place: Int) -> Bool {
    state.withLock { $0.open == 1 && $0.ends[place] == .open && !$0.isGivenUp }
  }

  /// Marks an open job as done.
  ///
  /// - Parameters:
  ///   - isWritten: true if the job has a record of its own.
  ///   - succeeded: true if the job succeeded.
  /// - Returns: true if the job was the last open one; false also if the job was done already.
  func end(_ place: Int, isWritten: Bool, succeeded: Bool) -> Bool {
    state.withLock {
      guard $0.ends[place] == .open else { return false }
      $0.ends[place] = isWritten ? .written : .done
      if succeeded { $0.hasSuccess = true }
      $0.open -= 1
      return $0.open == 0
    }
  }

  /// Gives up an open job whose outcome could not be written. When no job of the claim is open, a heartbeat
  /// ends the claim as lost.
  func giveUp(_ place: Int) {
    state.withLock {
      guard $0.ends[place] == .open else { return }
      $0.isGivenUp = true
      $0.ends[place] = .written
      $0.open -= 1
    }
  }

  /// True if a job of the claim was given up.
  var isGivenUp: Bool { state.withLock(\.isGivenUp) }

  /// True if any job of the claim succeeded.
  var hasSuccess: Bool { state.withLock(\.hasSuccess) }

  /// The limits that the claim's jobs count towards.
  var limits: [JobRules.TokenKey] {
    get { state.withLock(\.limits) }
    set { state.withLock { $0.limits = newValue } }
  }

  /// The number of jobs, without those cancelled before the claim.
  var size: Int { state.withLock(\.ids.count) }

  /// The number of jobs that are not done.
  var openCount: Int { state.withLock(\.open) }

  /// True if no job is open.
  var isIdle: Bool { state.withLock { $0.open == 0 } }

  /// True if the claim has been open for more than a second.
  var isOld: Bool { age > Self.longTime }

  /// The time for which the claim has been open.
  var age: Duration { age(at: .now) }

  /// Returns the time for which the claim has been open at a given time.
  func age(at now: ContinuousClock.Instant) -> Duration { since.duration(to: now) }

  /// The ids of the jobs that are done but have no record of their own.
  var unwritten: [UUID] {
    state.withLock { state in state.ends.indices.filter { state.ends[$0] == .done }.map { state.ids[$0] } }
  }

  /// Records that done jobs have records of their own now.
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
