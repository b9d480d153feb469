internal import FoundationEssentials
internal import Store

extension WorkerState {
  /// Records a successful heartbeat.
  ///
  /// Jobs whose lease was lost are dropped or told to end. Slots that waited for the heartbeat continue.
  ///
  /// - Parameter sent: the time at which the request was sent; the lease starts then.
  mutating func leaseRenewed(sent: Instant, at now: Instant) -> [Action] {
    let wasCertain = isLeaseCertain(at: now)
    // Shorter than the lease, since clocks may run at different speeds.
    leaseEnd = sent + configuration.lease * 0.9
    _ = buffer.remove(where: \.isLost)
    var actions = slots.running.filter { $0.run.job.isLost }.compactMap { interrupt($0.id, .lost, at: now) }
    guard phase == .working else { return actions }
    actions += dispatch(at: now)
    if !wasCertain, !slots.idle.isEmpty, claims.wake() { actions.append(.wakeClaims) }
    return actions
  }

  /// Ends jobs that were cancelled by request: those in the buffer without a start, running ones by
  /// cancelling their tasks.
  ///
  /// - Parameter cancelled: the jobs' ids and the numbers of their queued rows.
  mutating func jobsCancelled(_ cancelled: [(id: UUID, round: Int)], at now: Instant) -> [Action] {
    var actions: [Action] = []
    for (id, round) in cancelled {
      actions += buffer.remove { $0.id == id && $0.round == round }.map { .writeCancelled($0) }
      for (slot, run) in slots.running where run.job.id == id && run.job.round == round {
        if let action = interrupt(slot, .cancelled, at: now) { actions.append(action) }
      }
    }
    return actions
  }

  /// Hands back jobs that have been in the buffer for more than two heartbeats. They were claimed when jobs
  /// were quick, and other workers may be idle.
  mutating func shed(at now: Instant) -> [Action] {
    let limit = configuration.heartbeat * 2
    let overdue = buffer.remove { $0.heldFor(at: now) > limit }
    return overdue.isEmpty ? [] : [.handBack(overdue)]
  }

  /// Tells jobs that exceed their time limit to end. Replaces the slots of jobs that were told to end and
  /// have not done so within ``WorkerConfiguration/cancellationTimeout``.
  mutating func checkTimeLimits(at now: Instant) -> [Action] {
    var actions: [Action] = []
    for (slot, run) in slots.running where !run.hasReturned {
      if let verdict = run.verdict {
        guard now - run.judged > configuration.cancellationTimeout else { continue }
        slots.close(slot)
        actions.append(.replace(slot, run.job, verdict))
      } else if now - run.began > timeLimit(of: run.job), let action = interrupt(slot, .late, at: now) {
        actions.append(action)
      }
    }
    return actions
  }
}
