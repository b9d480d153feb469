import Store

@testable import Jobs

extension [WorkerState.Action] {
  /// The jobs given to slots.
  var runs: [(job: ClaimedJob, slot: SlotTable.ID)] {
    compactMap { if case .run(let job, let slot) = $0 { (job, slot) } else { nil } }
  }

  /// The slots whose tasks are cancelled.
  var cancelled: [SlotTable.ID] {
    compactMap { if case .cancel(let slot) = $0 { slot } else { nil } }
  }

  /// The slots that are closed.
  var closed: [SlotTable.ID] {
    compactMap { if case .close(let slot) = $0 { slot } else { nil } }
  }

  /// The jobs handed back.
  var handedBack: [ClaimedJob] {
    flatMap { action -> [ClaimedJob] in if case .handBack(let jobs) = action { jobs } else { [] } }
  }

  /// The jobs written as cancelled before they started.
  var writtenCancelled: [ClaimedJob] {
    compactMap { if case .writeCancelled(let job) = $0 { job } else { nil } }
  }

  /// The slots that are replaced, with the verdict on their jobs.
  var replaced: [(slot: SlotTable.ID, verdict: SlotTable.Verdict)] {
    compactMap { if case .replace(let slot, _, let verdict) = $0 { (slot, verdict) } else { nil } }
  }

  /// True if the claim loop is woken.
  var wakesClaims: Bool { contains { if case .wakeClaims = $0 { true } else { false } } }

  /// True if the claim loop is ended.
  var endsClaims: Bool { contains { if case .endClaims = $0 { true } else { false } } }
}

extension WorkerState.SlotStep {
  /// The job to run.
  var job: ClaimedJob? { if case .run(let job) = self { job } else { nil } }
  var isWait: Bool { if case .wait = self { true } else { false } }
  var isRenew: Bool { if case .renew = self { true } else { false } }
  var isClose: Bool { if case .close = self { true } else { false } }
}
