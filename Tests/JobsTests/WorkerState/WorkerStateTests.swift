import Store
import Testing

@testable import Jobs

@Suite struct WorkerStateTests {
  private let start = ContinuousClock.now
  private var source = ClaimedJobSource()

  /// Returns a worker with a certain lease and waiting slots.
  private func worker(slots count: Int, prefetch: Int = 2_000) -> (WorkerState, [SlotTable.ID]) {
    var configuration = WorkerConfiguration()
    configuration.prefetch = prefetch
    configuration.grace = .seconds(20)
    var state = WorkerState(configuration, timeLimits: ["test.quick": .seconds(1)], now: start)
    _ = state.leaseRenewed(sent: start, at: start)
    let slots = (0..<count).map { _ in state.openSlot() }
    for slot in slots { _ = state.slotReady(slot, at: start) }
    return (state, slots)
  }

  private func claimed(_ jobs: [ClaimedJob], _ state: inout WorkerState) -> [WorkerState.Action] {
    state.claimed(jobs, hasMore: false, isBusy: false, at: start).actions
  }

  @Test mutating func `claimed jobs go to waiting slots, the rest into the buffer`() throws {
    var (state, slots) = worker(slots: 2)
    let jobs = try source.claim(5, at: start)
    let runs = claimed(jobs, &state).runs
    #expect(Set(runs.map(\.slot)) == Set(slots))
    #expect(runs.map(\.job.id) == jobs.prefix(2).map(\.id))
    #expect(state.load == (2, 3))
    _ = state.handlerReturned(runs[0].slot, succeeded: true)
    #expect(state.slotReady(runs[0].slot, at: start).step.job?.id == jobs[2].id)
    #expect(state.load == (2, 2))
  }

  @Test mutating func `nothing starts while the lease is uncertain, until a heartbeat`() throws {
    var (state, slots) = worker(slots: 2)
    let late = start + .seconds(6)
    let jobs = try source.claim(3, at: start)
    #expect(state.claimed(jobs, hasMore: false, isBusy: false, at: late).actions.runs.isEmpty)
    let actions = state.leaseRenewed(sent: late, at: late)
    #expect(actions.runs.map(\.job.id) == jobs.prefix(2).map(\.id))
    #expect(!actions.wakesClaims)
    let later = late + .seconds(6)
    _ = state.handlerReturned(slots[0], succeeded: true)
    let (step, wakes) = state.slotReady(slots[0], at: later)
    #expect(step.isWait && !wakes, "slots that wait for a heartbeat need no jobs")
    #expect(state.leaseRenewed(sent: later, at: later).runs.map(\.job.id) == [jobs[2].id])
  }

  @Test mutating func `jobs whose lease is lost do not start, running ones are told to end`() throws {
    var (state, _) = worker(slots: 1)
    let (first, second) = (try source.claim(1, at: start), try source.claim(2, at: start))
    let slot = try #require(claimed(first + second, &state).runs.first?.slot)
    for job in first + second { job.loseLease() }
    let actions = state.leaseRenewed(sent: start, at: start)
    #expect(actions.cancelled == [slot] && actions.handedBack.isEmpty)
    #expect(state.load == (1, 0))
    #expect(state.leaseRenewed(sent: start, at: start).cancelled.isEmpty, "it is told once")
    #expect(state.handlerReturned(slot, succeeded: true) == (.dropLost, true))
    #expect(state.slotReady(slot, at: start).step.isRenew)
  }

  @Test mutating func `a cancelled job is ended in its slot, or written without having started`() throws {
    var (state, slots) = worker(slots: 1)
    let jobs = try source.claim(3, at: start)
    _ = claimed(jobs, &state)
    #expect(state.jobsCancelled([(jobs[0].id, 2)], at: start).isEmpty, "another queued row of the job")
    let actions = state.jobsCancelled([(jobs[0].id, 1), (jobs[1].id, 1)], at: start)
    #expect(actions.cancelled == slots)
    #expect(actions.writtenCancelled.map(\.id) == [jobs[1].id])
    #expect(state.handlerReturned(slots[0], succeeded: true) == (.cancel, true))
    #expect(state.load == (1, 1))
  }

  @Test mutating func `jobs that wait for two heartbeats are handed back`() throws {
    var (state, _) = worker(slots: 0)
    let old = try source.claim(2, at: start)
    _ = claimed(old + (try source.claim(1, at: start + .seconds(3))), &state)
    #expect(state.shed(at: start + .seconds(4)).isEmpty)
    #expect(state.shed(at: start + .milliseconds(4_001)).handedBack.map(\.id) == old.map(\.id))
    #expect(state.load == (0, 1))
  }

  @Test mutating func `a job that does not end at its time limit is abandoned, its slot replaced`() throws {
    var (state, slots) = worker(slots: 2)
    let quick = try source.claim(1, kind: "test.quick", at: start)
    let slot = try #require(claimed(quick + (try source.claim(1, at: start)), &state).runs.first?.slot)
    #expect(state.checkTimeLimits(at: start + .seconds(1)).isEmpty)
    #expect(state.checkTimeLimits(at: start + .milliseconds(1_001)).cancelled == [slot])
    #expect(state.checkTimeLimits(at: start + .milliseconds(6_001)).isEmpty, "it has time to end")
    let replaced = state.checkTimeLimits(at: start + .milliseconds(6_002)).replaced
    #expect(replaced.map(\.slot) == [slot] && replaced.map(\.verdict) == [.late])
    #expect(state.handlerReturned(slot, succeeded: true) == (.abandoned, true))
    #expect(state.slotReady(slot, at: start).step.isClose)
    let next = state.openSlot()
    #expect(next != slot && !slots.contains(next), "late events of the old slot do not reach the new one")
  }

  @Test mutating func `a handler that has returned is not told to end while its outcome is written`() throws {
    var (state, slots) = worker(slots: 1)
    let jobs = try source.claim(1, at: start)
    _ = claimed(jobs, &state)
    #expect(state.handlerReturned(slots[0], succeeded: true) == (.complete, false))
    #expect(state.jobsCancelled([(jobs[0].id, 1)], at: start).isEmpty)
    #expect(state.checkTimeLimits(at: start + .seconds(600)).isEmpty)
  }

  @Test(
    arguments: [
      (nil, true, .complete), (nil, false, .fail),
      (.late, true, .complete), (.late, false, .timeOut),
      (.lost, true, .dropLost), (.lost, false, .dropLost),
      (.cancelled, true, .cancel), (.cancelled, false, .cancel),
      (.handedBack, true, .complete), (.handedBack, false, .dropHandedBack),
    ] as [(SlotTable.Verdict?, Bool, WorkerState.Settlement)]
  )
  func `the verdict and the handler's result decide what is written`(
    verdict: SlotTable.Verdict?,
    succeeded: Bool,
    expected: WorkerState.Settlement
  ) throws {
    var (state, slots) = worker(slots: 1)
    var source = ClaimedJobSource()
    _ = claimed(try source.claim(1, at: start), &state)
    if let verdict { _ = state.interrupt(slots[0], verdict, at: start) }
    let (settlement, isInterrupted) = state.handlerReturned(slots[0], succeeded: succeeded)
    #expect(settlement == expected)
    #expect(isInterrupted == (verdict != nil))
  }
}
