internal import FoundationEssentials
internal import Postgres
internal import Synchronization

/// A batch of a lane that a worker took.
struct ClaimKey: Hashable, Sendable {
  let company: UUID
  let lane: UUID
  let no: Int64
}

/// What a worker knows of a claim that it has not acknowledged: which of its jobs are done.
final class OpenClaim: Sendable {
  let lane: Lane
  /// Grows with the claims of the lane, and is never given twice; the fence of its jobs.
  let no: Int64
  /// The week of the claim.
  let week: CalendarDate
  /// By the database's clock.
  let claimedAt: Timestamp
  /// What its worker took together.
  let batch: Int64
  /// How long it holds when its worker is not heard of.
  let lease: Duration

  /// How it stands with a job: nothing known, done, or done with a record of its own.
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
  /// Apart from the rest: it is asked before every job.
  private let lost = Atomic(false)
  private let since: ContinuousClock.Instant
  /// What takes longer than this is no common job: what is done beside it is written down.
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

  /// Adds a job and gives its place.
  func add(_ id: UUID) -> Int {
    state.withLock {
      $0.ends.append(.open)
      $0.ids.append(id)
      $0.open += 1
      return $0.ends.count - 1
    }
  }

  /// Whether somebody else has it by now.
  var isLost: Bool { lost.load(ordering: .acquiring) }

  func lose() { lost.store(true, ordering: .releasing) }

  /// Whether nothing else of it is open, so that the outcome of this job acknowledges it.
  func isLast(_ place: Int) -> Bool {
    state.withLock { $0.open == 1 && $0.ends[place] == .open && !$0.isGivenUp }
  }

  /// Notes that a job is done.
  ///
  /// - Parameters:
  ///   - isWritten: it has a record of its own.
  ///   - succeeded: that is what came of it.
  /// - Returns: whether that was the last one.
  func end(_ place: Int, isWritten: Bool, succeeded: Bool) -> Bool {
    state.withLock {
      guard $0.ends[place] == .open else { return false }
      $0.ends[place] = isWritten ? .written : .done
      if succeeded { $0.hasSuccess = true }
      $0.open -= 1
      return $0.open == 0
    }
  }

  /// Notes that nobody will be at a job any more, though it is not done: the claim has to be given back.
  func giveUp(_ place: Int) {
    state.withLock {
      guard $0.ends[place] == .open else { return }
      $0.isGivenUp = true
      $0.ends[place] = .written
      $0.open -= 1
    }
  }

  /// Whether it has to be given back, since the outcome of a job could not be written.
  var isGivenUp: Bool { state.withLock(\.isGivenUp) }

  /// Whether none of its jobs has succeeded.
  var hasSuccess: Bool { state.withLock(\.hasSuccess) }

  /// What its jobs count towards.
  var limits: [JobRules.TokenKey] {
    get { state.withLock(\.limits) }
    set { state.withLock { $0.limits = newValue } }
  }

  /// How many jobs it has.
  var size: Int { state.withLock(\.ids.count) }

  /// How many of them are not done.
  var openCount: Int { state.withLock(\.open) }

  /// Whether nobody is at any of its jobs.
  var isIdle: Bool { state.withLock { $0.open == 0 } }

  /// Whether it has been open for long.
  var isOld: Bool { age > Self.longTime }

  /// How long it has been open.
  var age: Duration { age(at: .now) }

  /// How long it has been open at a given time.
  func age(at now: ContinuousClock.Instant) -> Duration { since.duration(to: now) }

  /// The jobs that are done and have no record of their own.
  var unwritten: [UUID] {
    state.withLock { state in state.ends.indices.filter { state.ends[$0] == .done }.map { state.ids[$0] } }
  }

  /// Notes that jobs have got records of their own.
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
