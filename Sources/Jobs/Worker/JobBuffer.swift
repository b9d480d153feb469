internal import Store
internal import Synchronization

/// Jobs that a worker has claimed and not begun, and the slots that wait for one.
final class JobBuffer: Sendable {
  private struct State {
    var jobs: JobRoundRobin
    var waiting: [CheckedContinuation<ClaimedJob?, Never>] = []
    var isClosed = false
    /// How many were taken out so far.
    var taken = 0
    var lowWater = 1
    var isLow = true
  }

  private let state: Mutex<State>
  private let onLow: @Sendable () -> Void

  /// - Parameters:
  ///   - weights: of queues; 1 for those not named.
  ///   - onLow: called when jobs fall below the low-water mark, and whenever a slot has nothing to do.
  init(weights: [String: Int], onLow: @escaping @Sendable () -> Void) {
    state = Mutex(State(jobs: JobRoundRobin(weights: weights)))
    self.onLow = onLow
  }

  /// How many jobs wait.
  var count: Int { state.withLock(\.jobs.count) }

  /// How many jobs were taken out so far.
  var taken: Int { state.withLock(\.taken) }

  /// How many slots wait for a job.
  var idle: Int { state.withLock(\.waiting.count) }

  /// Adds jobs, and says from how few on more are wanted.
  func add(_ jobs: [ClaimedJob], lowWater: Int) {
    let handed = state.withLock { state in
      state.lowWater = lowWater
      for job in jobs { state.jobs.add(job) }
      var handed: [(CheckedContinuation<ClaimedJob?, Never>, ClaimedJob)] = []
      while !state.waiting.isEmpty, let job = state.jobs.next() {
        handed.append((state.waiting.removeLast(), job))
        state.taken += 1
      }
      state.isLow = state.jobs.count < lowWater
      return handed
    }
    for (slot, job) in handed { slot.resume(returning: job) }
  }

  /// Puts a job back that was not begun.
  func putBack(_ job: ClaimedJob) {
    state.withLock { state in
      state.jobs.add(job)
      state.taken -= 1
    }
  }

  /// The job whose turn it is, as soon as there is one; nil when the buffer is closed.
  func next() async -> ClaimedJob? {
    if let job = takeNow() { return job }
    return await withCheckedContinuation { slot in
      let (job, isOver) = state.withLock { state -> (ClaimedJob?, Bool) in
        if let job = state.jobs.next() {
          state.taken += 1
          return (job, true)
        }
        guard !state.isClosed else { return (nil, true) }
        state.waiting.append(slot)
        return (nil, false)
      }
      if isOver { slot.resume(returning: job) } else { onLow() }
    }
  }

  private func takeNow() -> ClaimedJob? {
    let (job, mustCall) = state.withLock { state -> (ClaimedJob?, Bool) in
      let job = state.jobs.next()
      if job != nil { state.taken += 1 }
      guard !state.isLow, state.jobs.count < state.lowWater else { return (job, false) }
      state.isLow = true
      return (job, true)
    }
    if mustCall { onLow() }
    return job
  }

  /// Takes out the jobs for which the condition holds.
  func remove(where isChosen: (ClaimedJob) -> Bool) -> [ClaimedJob] {
    state.withLock { $0.jobs.isEmpty ? [] : $0.jobs.remove(where: isChosen) }
  }

  /// Takes out jobs until no more than so many are left: those whose turn it would be last stay as they are.
  func shed(to limit: Int) -> [ClaimedJob] {
    state.withLock { state in
      var shed: [ClaimedJob] = []
      while state.jobs.count > limit, let job = state.jobs.next() { shed.append(job) }
      return shed
    }
  }

  /// Gives slots no more jobs, and returns those that are left.
  func close() -> [ClaimedJob] {
    let (left, waiting) = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return (state.jobs.remove { _ in true }, state.waiting)
    }
    for slot in waiting { slot.resume(returning: nil) }
    return left
  }
}
