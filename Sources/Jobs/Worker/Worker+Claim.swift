internal import CoreMetrics
internal import Logging
internal import Postgres
internal import Store
internal import Synchronization

extension Worker {
  /// Runs the claim loop until the worker is told to stop. Cancelling the task tells the worker to stop.
  func claimJobs() async {
    for await _ in claimSignal.given {
      var step = ClaimLoop.Step.turn
      while step != .wait {
        if Task.isCancelled { stop() }
        guard let next = await take(step) else { return }
        step = next
      }
    }
  }

  /// Performs a step of the claim loop.
  ///
  /// - Returns: the next step; nil after the last one.
  private func take(_ step: ClaimLoop.Step) async -> ClaimLoop.Step? {
    switch step {
    case .turn:
      pulse.turn()
      let hasLanes = queue.hasLanes
      return state.withLock { $0.claimTurn(hasLanes: hasLanes, at: .now) }
    case .poll(let enqueuesDue):
      do { return try await poll(enqueuesDue: enqueuesDue) } catch { return claimFailed(error) }
    case .claim(let limit):
      do { return try await claim(limit) } catch { return claimFailed(error) }
    case .sleep(let end):
      try? await Task.sleep(until: end, clock: .continuous)  // cancelled: the worker stops
      return .turn
    case .wait: return .wait
    case .finish: return nil
    }
  }

  /// Polls for lanes with jobs of the worker's queues and kinds.
  private func poll(enqueuesDue: Bool) async throws -> ClaimLoop.Step {
    let (new, hasMore) = try await queue.poll(
      queues: Set(configuration.queueNames),
      kinds: Set(handlers.kinds),
      enqueuesDue: enqueuesDue
    )
    pulse.poll()
    return state.withLock { $0.polled(newLanes: new, hasMore: hasMore, at: .now) }
  }

  /// Claims jobs and gives them to waiting slots.
  private func claim(_ limit: Int) async throws -> ClaimLoop.Step {
    // Without lanes, no query is sent.
    let isAsked = queue.hasLanes
    let asked = ContinuousClock.now
    let taken = try await queue.take(
      worker: id,
      queues: configuration.queueNames,
      limit: limit,
      lease: configuration.lease
    )
    if isAsked { pulse.poll() }
    if isAsked, let meters {
      meters.claimDuration.record((ContinuousClock.now - asked) / .seconds(1))
      meters.claimed(taken.jobs)
    }
    if Task.isCancelled { stop() }
    var next = ClaimLoop.Step.finish
    await perform { state in
      let (actions, step) = state.claimed(
        taken.jobs,
        hasMore: taken.hasMore,
        isBusy: taken.isBusy,
        at: .now
      )
      next = step
      return actions
    }
    return next
  }

  /// Counts and logs a failed poll or claim, and forgets the known lanes, so that the next poll scans all of
  /// them.
  private func claimFailed(_ error: any Error) -> ClaimLoop.Step {
    if Task.isCancelled { stop() }
    let next = state.withLock { $0.claimFailed(at: .now) }
    if next != .finish {
      pulse.fail("\(error)")
      meters?.claimErrors.increment()
    }
    logger.error("cannot claim", metadata: ["error": "\(error)"])
    // After a server crash, claims may be lost and transaction ids reused.
    queue.forgetLanes()
    return next
  }

  /// Acknowledges finished claims whenever it is woken, all of them in one request.
  func acknowledgeClaims() async {
    for await _ in ackSignal.given {
      var step = state.withLock { $0.acks.next() }
      while step != .wait, !Task.isCancelled {
        switch step {
        case .acknowledge: step = await acknowledge()
        case .sleep(let end):
          try? await Task.sleep(until: end, clock: .continuous)  // cancelled: the loop's condition ends it
          step = state.withLock { $0.acks.next() }
        case .wait: break
        }
      }
    }
  }

  /// Sends one acknowledgement. A failed request is repeated after a pause.
  private func acknowledge() async -> AckState.Step {
    do {
      let lost = try await queue.acknowledge(worker: id)
      if lost > 0 {
        meters?.claimsLost.increment(by: lost)
        logger.warning("claims were lost; their jobs run again", metadata: ["claims": "\(lost)"])
      }
      return state.withLock { $0.acks.next() }
    } catch {
      if !(error is CancellationError) {
        logger.error("cannot acknowledge claims", metadata: ["error": "\(error)"])
      }
      return state.withLock { $0.acks.failed(at: .now) }
    }
  }

  /// Listens for notifications of enqueued jobs, cancelled jobs and changed rules, until the task is
  /// cancelled or the database object is closed.
  func listen(_ channel: String) async {
    for await event in database.listen([channel]) {
      switch event {
      case .notified(_, JobNotifier.stop, _): await endCancelled()
      case .notified(_, JobNotifier.rules, _):
        // If this fails, the next heartbeat loads the rules.
        try? await queue.loadRules()
        await perform { $0.pollDue(enqueuesDue: false) }
      case .resynchronise:
        // Also the first event, which starts the work. The server may have crashed: then claims that were not
        // durable are lost and transaction ids are reused, so a poll could not recognise new jobs by them.
        queue.forgetLanes()
        await perform { $0.pollDue(enqueuesDue: false) }
      case .notified(_, let payload, _):
        let new = queue.add(JobNotification(payload: payload))
        await perform { $0.notified(newLanes: new) }
      }
    }
  }
}
