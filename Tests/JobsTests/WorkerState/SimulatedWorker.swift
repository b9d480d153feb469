import FoundationEssentials
import Store
import TestDatabase
import TestTools

@testable import Jobs

/// A worker without a database: performs the actions of a ``WorkerState`` on a model and checks them against it.
struct SimulatedWorker {
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  /// The fate of a claimed job.
  enum Fate: Equatable {
    case buffered
    case running
    case handedBack
    case settled
    case lost
  }

  /// The task of a slot.
  struct SlotTask {
    enum Activity { case ready, waiting, running, writing }

    var activity = Activity.ready
    var job: ClaimedJob?
    var isCancelled = false
  }

  static let concurrency = 4

  var state: WorkerState
  var now: ContinuousClock.Instant
  var random: SeededRandom
  var source = ClaimedJobSource()
  /// The jobs that have not ended.
  var open: [UUID: ClaimedJob] = [:]
  var fates: [UUID: Fate] = [:]
  var slots: [SlotTable.ID: SlotTask] = [:]
  /// Slots that were replaced and whose handlers have not returned.
  var abandoned: [SlotTable.ID] = []
  var claimStep = ClaimLoop.Step.wait
  var isWoken = false
  /// Whether an event arrived during a turn of the claim loop, which then has to take another one.
  var hasNews = false
  var isStopping = false
  /// Number of new lanes since the last claim.
  var newLanes = 0

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    now = .now
    var configuration = WorkerConfiguration()
    configuration.prefetch = 40
    configuration.cancellationTimeout = .milliseconds(200)
    configuration.grace = .milliseconds(300)
    state = WorkerState(configuration, timeLimits: ["test.quick": .milliseconds(300)], now: now)
    _ = state.leaseRenewed(sent: now, at: now)
    for _ in 0..<Self.concurrency { openSlot() }
  }

  func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws {
    guard condition else { throw Violation(description: rule()) }
  }

  mutating func openSlot() { slots[state.openSlot()] = SlotTask() }

  mutating func perform(_ actions: [WorkerState.Action]) throws {
    for action in actions {
      switch action {
      case .run(let job, let slot):
        try require(slots[slot]?.activity == .waiting, "only a waiting slot is given a job")
        try start(job, in: slot)
      case .close(let slot):
        try require(slots.removeValue(forKey: slot)?.activity == .waiting, "only a waiting slot is closed")
      case .cancel(let slot): try cancel(slot)
      case .wakeClaims:
        try require(claimStep == .wait && !isWoken && !isStopping, "a waiting claim loop is woken, once")
        isWoken = true
      case .endClaims: isStopping = true
      case .handBack(let jobs): for job in jobs { try handBack(job) }
      case .writeCancelled(let job):
        try require(fates[job.id] == .buffered, "only a job in the buffer is cancelled before it starts")
        end(job, .settled)
      case .replace(let slot, let job, let verdict): try replace(slot, job, verdict)
      }
    }
  }

  mutating func start(_ job: ClaimedJob, in slot: SlotTable.ID) throws {
    try require(!isStopping, "nothing starts after the stop")
    try require(fates[job.id] == .buffered, "only a job in the buffer starts, not \(fates[job.id] as Any)")
    try require(!job.isLost, "a lost job does not start")
    try require(state.isLeaseCertain(at: now), "nothing starts without a certain lease")
    fates[job.id] = .running
    slots[slot]?.activity = .running
    slots[slot]?.job = job
  }

  mutating func cancel(_ slot: SlotTable.ID) throws {
    try require(slots[slot]?.activity == .running, "only a running job is cancelled")
    try require(slots[slot]?.isCancelled == false, "a job is cancelled once")
    slots[slot]?.isCancelled = true
  }

  mutating func handBack(_ job: ClaimedJob) throws {
    try require(
      fates[job.id] == .buffered,
      "a job is handed back from the buffer, not \(fates[job.id] as Any)"
    )
    end(job, .handedBack)
  }

  /// Records the end of a job.
  mutating func end(_ job: ClaimedJob, _ fate: Fate) {
    fates[job.id] = fate
    open[job.id] = nil
  }

  private mutating func replace(_ slot: SlotTable.ID, _ job: ClaimedJob, _ verdict: SlotTable.Verdict) throws
  {
    let task = slots.removeValue(forKey: slot)
    try require(task?.activity == .running && task?.isCancelled == true, "a slot is replaced after a cancel")
    try require(task?.job?.id == job.id, "with its own job")
    abandoned.append(slot)
    if fates[job.id] != .handedBack {
      try require(verdict != .handedBack, "it was not handed back")
      end(job, verdict == .lost ? .lost : .settled)
    }
    openSlot()
  }

  /// Checks that an event which needs a turn of the claim loop is followed by one.
  mutating func requireTurn() throws {
    hasNews = claimStep != .wait
    try require(hasNews || isWoken || isStopping, "the event wakes the claim loop")
  }

  /// Checks what holds after each event.
  func check() throws {
    let busy = slots.values.filter { $0.activity == .running || $0.activity == .writing }
    let idle = slots.values.filter { $0.activity == .waiting }.count
    try require(state.load.running == busy.count, "\(state.load.running) run, not \(busy.count)")
    try require(slots.count == Self.concurrency || isStopping, "\(slots.count) slots are open")
    for task in busy where task.activity == .running && !isStopping {
      guard let job = task.job else { throw Violation(description: "a running slot has a job") }
      try require(fates[job.id] == .running, "a job in a slot is running, not \(fates[job.id] as Any)")
    }
    let buffered = open.values.filter { fates[$0.id] == .buffered }
    let startable = buffered.filter { !$0.isLost }.count
    try require(
      startable <= state.load.waiting && state.load.waiting <= buffered.count,
      "\(state.load.waiting) wait, not \(startable) to \(buffered.count)"
    )
    if !isStopping, state.isLeaseCertain(at: now) {
      try require(idle == 0 || startable == 0, "no slot waits while there are jobs")
    }
  }
}
