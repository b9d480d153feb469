internal import Store

extension WorkerState {
  /// The interval at which a stopping worker checks whether its jobs have ended.
  private static let drainInterval: Duration = .milliseconds(10)

  /// Records that the worker was told to stop. From then on it claims and starts no jobs. Further calls have
  /// no effect.
  mutating func shutdownRequested() -> [Action] {
    guard phase == .working else { return [] }
    phase = .stopping
    notStarted = buffer.remove { _ in true }
    var actions: [Action] = []
    while let slot = slots.takeIdle() {
      slots.close(slot)
      actions.append(.close(slot))
    }
    return actions + [.endClaims]
  }

  /// Records that the claim loop has ended, and starts the grace period. Hands back the jobs that have not
  /// started.
  mutating func drainStarted(at now: Instant) -> [Action] {
    var actions = shutdownRequested()
    guard phase == .stopping else { return actions }
    phase = .draining(until: now + configuration.grace)
    let jobs = notStarted.filter { !$0.isLost }
    notStarted = []
    if !jobs.isEmpty { actions.append(.handBack(jobs)) }
    return actions
  }

  /// Decides whether running jobs get more time.
  ///
  /// - Parameter isCancelled: true if the worker's task was cancelled, which ends the grace period.
  mutating func drainStep(at now: Instant, isCancelled: Bool) -> DrainStep {
    guard case .draining(let deadline) = phase else { return .finish }
    let running = slots.running
    guard !running.isEmpty else {
      phase = .stopped
      return .finish
    }
    guard now >= deadline || isCancelled else {
      return .sleep(until: min(deadline, now + Self.drainInterval))
    }
    phase = .stopped
    // The slots to cancel: not those whose outcome is being written, nor those told to end before.
    let interrupted = running.map(\.id).filter { interrupt($0, .handedBack, at: now) != nil }
    return .handBack(running.map(\.run.job), cancelling: interrupted)
  }
}
