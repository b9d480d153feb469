internal import Store

/// The rules of a worker, as a value: when to claim, which job runs in which slot, and the fate of claimed
/// jobs when a lease expires or the worker stops.
///
/// Each method records an event and returns the actions that follow. There are no tasks, clocks or queries;
/// times are passed in. ``Worker`` keeps the state in a mutex and performs the actions outside it.
struct WorkerState {
  typealias Instant = ContinuousClock.Instant

  /// The phases of a worker, in order.
  enum Phase: Equatable {
    case working
    /// Told to stop: nothing is claimed or started.
    case stopping
    /// Running jobs may finish until the deadline.
    case draining(until: Instant)
    case stopped
  }

  let configuration: WorkerConfiguration
  /// Time limits of attempts, by kind, of handlers that have their own.
  private let timeLimits: [String: Duration]
  /// The kinds whose jobs run beside the slots.
  private let outside: Set<String>
  /// The current phase.
  var phase = Phase.working
  var buffer: JobBuffer
  var slots = SlotTable()
  var claims: ClaimLoop
  var acks = AckState()
  /// The time until which claims are certainly held, by this machine's clock.
  var leaseEnd: Instant
  /// Jobs that had not started when the worker was told to stop.
  var notStarted: [ClaimedJob] = []

  /// - Parameters:
  ///   - configuration: queues, limits and intervals.
  ///   - timeLimits: time limits of attempts, by kind; other kinds have the configured one.
  ///   - outside: the kinds whose jobs run beside the slots.
  ///   - now: the current time.
  init(
    _ configuration: WorkerConfiguration,
    timeLimits: [String: Duration] = [:],
    outside: Set<String> = [],
    now: Instant
  ) {
    self.configuration = configuration
    self.outside = outside
    self.timeLimits = timeLimits
    buffer = JobBuffer(weights: configuration.queues)
    claims = ClaimLoop(prefetch: configuration.prefetch, now: now)
    leaseEnd = now
  }

  /// Number of running jobs, and number of claimed jobs that have not started.
  var load: (running: Int, waiting: Int) { (slots.runningCount, buffer.count + notStarted.count) }

  /// Returns the time limit of an attempt.
  func timeLimit(of job: ClaimedJob) -> Duration { timeLimits[job.kind] ?? configuration.timeout }

  /// Returns true if claims are certainly held. Otherwise no job starts before the next heartbeat: the worker
  /// was suspended for longer than its lease, or cannot reach the database.
  func isLeaseCertain(at now: Instant) -> Bool { now < leaseEnd }

  /// Gives buffered jobs to waiting slots while the lease is certain.
  mutating func dispatch(at now: Instant) -> [Action] {
    var actions: [Action] = []
    guard isLeaseCertain(at: now) else { return actions }
    while !slots.idle.isEmpty, let job = buffer.next(), let slot = slots.takeIdle() {
      start(job, in: slot, at: now)
      actions.append(.run(job, in: slot))
    }
    return actions
  }

  /// Records that a job starts in a slot.
  mutating func start(_ job: ClaimedJob, in slot: SlotTable.ID, at now: Instant) {
    slots.start(job, in: slot, isOutside: outside.contains(job.kind), at: now)
  }

  /// Tells a job to end early. Returns nil, without effect, if its handler has returned or it was told to end
  /// before.
  mutating func interrupt(_ slot: SlotTable.ID, _ verdict: SlotTable.Verdict, at now: Instant) -> Action? {
    guard var run = slots[slot], run.verdict == nil, !run.hasReturned else { return nil }
    run.verdict = verdict
    run.judged = now
    slots[slot] = run
    return .cancel(slot)
  }
}
