/// Decides when a worker polls, how many jobs it claims, and when it waits.
///
/// Events that arrive during a poll or a claim are remembered: the loop takes another turn before it waits.
struct ClaimLoop {
  typealias Instant = ContinuousClock.Instant

  /// The next step of the claim loop.
  enum Step: Equatable {
    /// Poll for lanes with jobs, and enqueue deferred jobs that are due.
    case poll(enqueuesDue: Bool)
    /// Claim about the given number of jobs.
    case claim(Int)
    /// Take another turn immediately.
    case turn
    /// Sleep, then take another turn.
    case sleep(until: Instant)
    /// Wait until woken.
    case wait
    /// The worker stops.
    case finish
  }

  /// Maximum number of new lanes for which jobs are claimed although the buffer is full, two jobs for each.
  static let mostNewLanes = 64
  /// Maximum number of jobs in one claim.
  static let mostAtOnce = 1_000
  /// The pause after the first failure.
  private static let shortestPause: Duration = .milliseconds(50)
  /// Maximum pause after repeated failures.
  private static let longestPause: Duration = .seconds(2)
  /// The pause while other workers claim from the same lanes.
  private static let busyPause: Duration = .milliseconds(1)

  private var pace: Pace
  /// True if lanes may have got jobs since the last poll.
  private var mustPoll = true
  /// True if deferred jobs may have become due since the last poll.
  private var mustEnqueueDue = true
  /// Number of lanes that have got jobs since the last claim and were empty before.
  private var newLanes = 0
  /// True while the loop waits until it is woken.
  private var isWaiting = true
  /// True if an event has arrived during the current turn.
  private var isSignalled = false
  /// The pause after the next failure.
  private var pause = Self.shortestPause
  /// The number of jobs that the buffer should hold.
  private var target = 0

  /// - Parameter prefetch: the maximum number of jobs in the buffer.
  init(prefetch: Int, now: Instant) { pace = Pace(most: prefetch, now: now) }

  /// Number of buffered jobs below which the loop claims more.
  var lowWater: Int { max(1, target / 2) }

  /// Records a reason for another turn. Returns true if the loop has to be woken.
  mutating func wake() -> Bool {
    isSignalled = !isWaiting
    defer { isWaiting = false }
    return isWaiting
  }

  /// Records that lanes may have got jobs.
  mutating func requirePoll(enqueuesDue: Bool) {
    mustPoll = true
    if enqueuesDue { mustEnqueueDue = true }
  }

  /// Records that lanes known to be empty have got jobs.
  ///
  /// - Parameter count: number of those lanes.
  mutating func addLanes(_ count: Int) { newLanes += count }

  /// Starts a turn. Returns the poll that must precede a claim, or nil.
  ///
  /// - Parameter hasLanes: false if no lane is known to have jobs; then a poll is needed.
  mutating func turn(hasLanes: Bool) -> Step? {
    isWaiting = false
    isSignalled = false
    guard mustPoll || !hasLanes else { return nil }
    defer { (mustPoll, mustEnqueueDue) = (false, false) }
    return .poll(enqueuesDue: mustEnqueueDue)
  }

  /// Records the result of a poll.
  ///
  /// - Parameters:
  ///   - new: number of lanes found that were empty before.
  ///   - hasMore: true if another poll may find more at once.
  mutating func polled(newLanes new: Int, hasMore: Bool) {
    newLanes += new
    guard hasMore else { return }
    requirePoll(enqueuesDue: true)
    isSignalled = true
  }

  /// Decides whether to claim.
  ///
  /// - Parameters:
  ///   - taken: number of jobs taken from the buffer so far.
  ///   - buffered: number of jobs in the buffer.
  ///   - idle: number of slots that wait for a job.
  mutating func demand(taken: Int, buffered: Int, idle: Int, at now: Instant) -> Step {
    target = pace.target(taken: taken, now: now)
    let new = newLanes
    newLanes = 0
    var room = target + idle - buffered
    // Claim at least half a buffer, so that claims are few and large. New lanes do not wait for buffered
    // jobs.
    if new > 0 { room = max(room, min(new, Self.mostNewLanes) * 2) }
    guard room > 0, room * 2 >= target || idle > 0 || new > 0 else { return rest() }
    return .claim(min(room, Self.mostAtOnce))
  }

  /// Records a successful claim.
  ///
  /// - Parameters:
  ///   - hasMore: true if another claim may return more.
  ///   - isBusy: true if other workers were claiming from all those lanes.
  mutating func claimed(hasMore: Bool, isBusy: Bool, at now: Instant) -> Step {
    guard hasMore else { return rest() }
    pause = Self.shortestPause
    return isBusy ? .sleep(until: now + Self.busyPause) : .turn
  }

  /// Records a failed poll or claim. It is retried after a pause that doubles with each failure, from 50
  /// milliseconds to 2 seconds.
  mutating func failed(at now: Instant) -> Step {
    requirePoll(enqueuesDue: true)
    defer { pause = min(pause * 2, Self.longestPause) }
    return .sleep(until: now + pause)
  }

  /// Waits, or takes another turn if an event has arrived meanwhile.
  private mutating func rest() -> Step {
    pause = Self.shortestPause
    guard !isSignalled else { return .turn }
    isWaiting = true
    return .wait
  }
}
