import FoundationEssentials
import Store
import Testing

@testable import Jobs

/// Random events in random order, checked against a model.
@Suite struct WorkerStatePropertyTests {
  /// Random seeds in each run; `FETTLE_SEED` repeats a run.
  static let seeds: [UInt64] = {
    let given = ProcessInfo.processInfo.environment["FETTLE_SEED"].flatMap(UInt64.init)
    let first = given ?? UInt64.random(in: 0...9_999_999)
    print("worker state: FETTLE_SEED=\(first)")
    return (0..<40).map { first &+ $0 }
  }()

  @Test(arguments: seeds)
  func `each claimed job runs once, is handed back or is lost, and nothing is claimed after the stop`(
    seed: UInt64
  ) throws {
    var worker = SimulatedWorker(seed: seed)
    do {
      for _ in 0..<Int.random(in: 200...2_000, using: &worker.random) { try worker.step() }
      try worker.stop()
    } catch let violation as SimulatedWorker.Violation {
      Issue.record("seed \(seed): \(violation)")
      return
    }
    for (id, fate) in worker.fates where fate == .running || fate == .buffered {
      #expect(worker.open[id]?.isLost == true, "seed \(seed): a job is left \(fate)")
    }
    #expect(worker.slots.isEmpty, "seed \(seed)")
  }
}

extension SimulatedWorker {
  /// Stops the worker amid random events, and lets all handlers return.
  mutating func stop() throws {
    try perform(state.shutdownRequested())
    try require(isStopping && claimStep != .finish, "it stops once")
    for _ in 0..<Int.random(in: 0...50, using: &random) { try step() }
    // The claim loop ends at its next step, or because its signal has ended.
    while claimStep != .wait, claimStep != .finish {
      if case .sleep(let end) = claimStep { now = max(now, end) }
      try turnClaimLoop()
    }
    let isCancelled = Int.random(in: 0..<4, using: &random) == 0
    try perform(state.drainStarted(at: now))
    try drain(isCancelled: isCancelled)
    // Cancelled handlers return eventually.
    for _ in 0..<100_000 where !slots.isEmpty { try step() }
  }

  private mutating func drain(isCancelled: Bool) throws {
    while true {
      switch state.drainStep(at: now, isCancelled: isCancelled) {
      case .sleep(let end):
        try require(end > now && !isCancelled, "it sleeps until the deadline at most")
        for _ in 0..<Int.random(in: 0...5, using: &random) { try step() }
        now = max(now, end)
      case .handBack(let unfinished, let cancelled):
        for slot in cancelled { try cancel(slot) }
        let held = slots.values.filter { $0.job != nil }
        try require(held.count == unfinished.count, "all unfinished jobs are handed back")
        for task in held {
          guard let job = task.job else { continue }
          try require(task.isCancelled || task.activity == .writing, "a job handed back is cancelled")
          end(job, .handedBack)
        }
        return
      case .finish:
        try require(slots.values.allSatisfy { $0.job == nil }, "it waits for running jobs")
        return
      }
    }
  }
}
