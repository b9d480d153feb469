import Store
import Testing

@testable import Jobs

@Suite struct WorkerStopTests {
  private let start = ContinuousClock.now
  private var source = ClaimedJobSource()

  private func worker(slots count: Int) -> (WorkerState, [SlotTable.ID]) {
    var configuration = WorkerConfiguration()
    configuration.grace = .seconds(1)
    var state = WorkerState(configuration, now: start)
    _ = state.leaseRenewed(sent: start, at: start)
    let slots = (0..<count).map { _ in state.openSlot() }
    for slot in slots { _ = state.slotReady(slot, at: start) }
    return (state, slots)
  }

  @Test
  mutating func `a worker that stops closes idle slots and hands back jobs once the claim loop has ended`()
    throws
  {
    var (state, slots) = worker(slots: 1)
    let jobs = try source.claim(3, at: start)
    _ = state.claimed(jobs, hasMore: false, isBusy: false, at: start)
    let idle = state.openSlot()
    #expect(state.slotReady(idle, at: start).step.job?.id == jobs[1].id)
    let stop = state.shutdownRequested()
    #expect(stop.endsClaims && stop.closed.isEmpty && stop.handedBack.isEmpty)
    #expect(state.shutdownRequested().isEmpty)
    #expect(state.load == (2, 1))
    #expect(state.drainStarted(at: start).handedBack.map(\.id) == [jobs[2].id])
    #expect(state.drainStarted(at: start).isEmpty)
    #expect(state.load == (2, 0))
    _ = state.handlerReturned(slots[0], succeeded: true)
    #expect(state.slotReady(slots[0], at: start).step.isClose)
    #expect(state.load == (1, 0))
  }

  @Test func `slots that wait are closed at once`() {
    var (state, slots) = worker(slots: 3)
    #expect(Set(state.shutdownRequested().closed) == Set(slots))
    #expect(state.drainStarted(at: start).isEmpty)
    guard case .finish = state.drainStep(at: start, isCancelled: false) else {
      Issue.record("nothing runs")
      return
    }
  }

  @Test mutating func `a claim answered after the stop is handed back, and nothing is claimed again`() throws
  {
    var (state, _) = worker(slots: 1)
    _ = state.shutdownRequested()
    let jobs = try source.claim(2, at: start)
    let (actions, next) = state.claimed(jobs, hasMore: true, isBusy: false, at: start)
    #expect(actions.handedBack.map(\.id) == jobs.map(\.id) && actions.runs.isEmpty)
    #expect(next == .finish)
    #expect(state.claimTurn(hasLanes: true, at: start) == .finish)
    #expect(state.polled(newLanes: 5, hasMore: true, at: start) == .finish)
    #expect(state.claimFailed(at: start) == .finish)
    #expect(state.notified(newLanes: 1).isEmpty)
    #expect(state.pollDue(enqueuesDue: true).isEmpty)
  }

  @Test(arguments: [false, true]) mutating func `jobs that do not end in time are cancelled and handed back`(
    isCancelled: Bool
  ) throws {
    var (state, slots) = worker(slots: 2)
    let jobs = try source.claim(2, at: start)
    _ = state.claimed(jobs, hasMore: false, isBusy: false, at: start)
    let writing = slots[0]
    _ = state.handlerReturned(writing, succeeded: true)
    _ = state.drainStarted(at: start)
    if !isCancelled {
      guard case .sleep(let end) = state.drainStep(at: start, isCancelled: false) else {
        Issue.record("jobs run and the grace period is not over")
        return
      }
      #expect(end > start && end <= start + .seconds(1))
    }
    let deadline = isCancelled ? start : start + .seconds(1)
    guard case .handBack(let back, let cancelled) = state.drainStep(at: deadline, isCancelled: isCancelled)
    else {
      Issue.record("jobs run after the deadline")
      return
    }
    #expect(Set(back.map(\.id)) == Set(jobs.map(\.id)))
    #expect(cancelled == [slots[1]], "an outcome that is being written is not cancelled")
    #expect(state.handlerReturned(slots[1], succeeded: false) == (.dropHandedBack, true))
    #expect(state.slotReady(slots[1], at: deadline).step.isClose)
    guard case .finish = state.drainStep(at: deadline, isCancelled: false) else {
      Issue.record("it hands back once")
      return
    }
  }

  @Test mutating func `the drain ends when the last job has`() throws {
    var (state, slots) = worker(slots: 1)
    _ = state.claimed(try source.claim(1, at: start), hasMore: false, isBusy: false, at: start)
    _ = state.drainStarted(at: start)
    _ = state.handlerReturned(slots[0], succeeded: true)
    #expect(state.slotReady(slots[0], at: start).step.isClose)
    guard case .finish = state.drainStep(at: start, isCancelled: false) else {
      Issue.record("nothing runs")
      return
    }
  }
}
