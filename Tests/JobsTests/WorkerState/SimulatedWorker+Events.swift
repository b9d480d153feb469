import FoundationEssentials
import Store

@testable import Jobs

extension SimulatedWorker {
  /// Records a random event.
  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10: now += .milliseconds(Int.random(in: 0...60, using: &random))
    case 10: now += .milliseconds(Int.random(in: 0...8_000, using: &random))
    case 11..<40: try turnClaimLoop()
    case 40..<60: if let slot = randomSlot(.ready) { try ready(slot) }
    case 60..<72: try returnHandler()
    case 72..<84: try writeOutcome()
    case 84..<87: try perform(state.leaseRenewed(sent: now, at: now))
    case 87: randomJob?.loseLease()
    case 88..<91: if let job = randomJob { try perform(state.jobsCancelled([(job.id, 1)], at: now)) }
    case 91..<93: try perform(state.shed(at: now))
    case 93..<96: try perform(state.checkTimeLimits(at: now))
    default: try announce()
    }
    try check()
  }

  private var randomJob: ClaimedJob? {
    mutating get {
      open.values.sorted { $0.id.uuidString < $1.id.uuidString }.randomElement(using: &random)
    }
  }

  private mutating func randomSlot(_ activity: SlotTask.Activity) -> SlotTable.ID? {
    slots.filter { $0.value.activity == activity }.keys.sorted { "\($0)" < "\($1)" }
      .randomElement(using: &random)
  }

  private mutating func announce() throws {
    if Bool.random(using: &random) {
      let new = Int.random(in: 0..<20, using: &random) == 0 ? 100 : Int.random(in: 1...3, using: &random)
      newLanes += new
      try perform(state.notified(newLanes: new))
    } else {
      try perform(state.pollDue(enqueuesDue: Bool.random(using: &random)))
    }
    try requireTurn()
  }

  /// Takes the next step of the claim loop.
  mutating func turnClaimLoop() throws {
    switch claimStep {
    case .wait:
      guard isWoken else { return }
      isWoken = false
      claimStep = .turn
    case .turn:
      hasNews = false
      try decide(state.claimTurn(hasLanes: Int.random(in: 0..<4, using: &random) > 0, at: now))
    case .poll:
      guard Int.random(in: 0..<10, using: &random) > 0 else { return claimStep = state.claimFailed(at: now) }
      let new = Int.random(in: 0...10, using: &random)
      newLanes += new
      try decide(
        state.polled(newLanes: new, hasMore: Int.random(in: 0..<10, using: &random) == 0, at: now)
      )
    case .claim(let limit):
      guard Int.random(in: 0..<10, using: &random) > 0 else { return claimStep = state.claimFailed(at: now) }
      try claim(Int.random(in: 0...limit, using: &random))
    case .sleep(let end): if now >= end { claimStep = .turn }
    case .finish: break
    }
  }

  private mutating func decide(_ step: ClaimLoop.Step) throws {
    claimStep = step
    try require(step != .wait || !hasNews, "the claim loop does not wait after an event")
    if case .claim(let limit) = step {
      try require(!isStopping, "nothing is claimed after the stop")
      let idle = slots.values.count { $0.activity == .waiting }
      let fixture = idle + state.configuration.prefetch - state.load.waiting
      let most = max(fixture, 2 * min(newLanes, ClaimLoop.mostNewLanes))
      try require(limit > 0 && limit <= most, "\(limit) jobs are claimed, at most \(most) fit")
    }
    if case .poll = step { try require(!isStopping, "no poll after the stop") } else { newLanes = 0 }
  }

  private mutating func claim(_ count: Int) throws {
    let kind = Bool.random(using: &random) ? "test.job" : "test.quick"
    let new = count == 0 ? [] : try source.claim(count, kind: kind, at: now)
    for job in new {
      open[job.id] = job
      fates[job.id] = .buffered
    }
    let (actions, next) = state.claimed(
      new,
      hasMore: Bool.random(using: &random),
      isBusy: Bool.random(using: &random),
      at: now
    )
    try perform(actions)
    if isStopping {
      try require(next == .finish && actions.handedBack.count == new.count, "late claims are handed back")
    }
    claimStep = next
    try require(next != .wait || !hasNews, "the claim loop does not wait after an event")
  }

  private mutating func ready(_ slot: SlotTable.ID) throws {
    guard let task = slots[slot] else { return }
    let (step, wakes) = state.slotReady(slot, at: now)
    switch step {
    case .run(let job):
      try require(!task.isCancelled, "a cancelled task gets no job")
      try start(job, in: slot)
    case .wait:
      try require(!isStopping && !task.isCancelled, "a cancelled or stopped slot does not wait")
      slots[slot] = SlotTask(activity: .waiting)
    case .renew:
      try require(task.isCancelled && !isStopping, "only a cancelled slot is renewed")
      slots[slot] = nil
      openSlot()
    case .close:
      try require(isStopping, "a slot is closed after the stop")
      slots[slot] = nil
    }
    if wakes { try perform([.wakeClaims]) }
    if step.isWait, state.isLeaseCertain(at: now) { try requireTurn() }
  }

  private mutating func returnHandler() throws {
    let succeeded = Bool.random(using: &random)
    if !abandoned.isEmpty, Bool.random(using: &random) {
      let slot = abandoned.removeLast()
      let (settlement, _) = state.handlerReturned(slot, succeeded: succeeded)
      try require(settlement == .abandoned, "the outcome of an abandoned job is written already")
      try require(state.slotReady(slot, at: now).step.isClose, "an abandoned slot is closed")
      return
    }
    guard let slot = randomSlot(.running), let task = slots[slot], let job = task.job else { return }
    let (settlement, isInterrupted) = state.handlerReturned(slot, succeeded: succeeded)
    try require(isInterrupted == task.isCancelled, "the outcome of a cancelled task is shielded")
    slots[slot]?.activity = .writing
    guard fates[job.id] != .handedBack else { return }
    switch settlement {
    case .complete, .fail, .timeOut, .cancel: break
    case .dropLost: end(job, .lost)
    case .dropHandedBack, .abandoned: throw Violation(description: "\(settlement) of a job that runs")
    }
  }

  private mutating func writeOutcome() throws {
    guard let slot = randomSlot(.writing), let job = slots[slot]?.job else { return }
    if fates[job.id] == .running { end(job, .settled) }
    slots[slot]?.activity = .ready
    slots[slot]?.job = nil
    try ready(slot)
  }
}
