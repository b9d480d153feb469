internal import CoreMetrics
internal import Logging
internal import Postgres
internal import Store
internal import Synchronization

extension Worker {
  /// Claims whenever the buffer runs low or something may be due, until the worker is told to stop.
  func claimJobs() async {
    var pace = Pace(most: configuration.prefetch, now: .now)
    var pause: Duration = .milliseconds(50)
    for await _ in claimSignal.given {
      var hasMore = true
      while hasMore, mayClaim {
        pulse.turn()
        do {
          hasMore = try await claimOnce(&pace)
          pause = .milliseconds(50)
        } catch {
          if mayClaim {
            pulse.fail("\(error)")
            meters?.claimErrors.increment()
          }
          logger.error("cannot claim", metadata: ["error": "\(error)"])
          // After a crash of the server claims may be gone, and transaction ids given again.
          queue.forgetLanes()
          // What a poll that failed was to find is still to be found.
          mustPoll.store(true, ordering: .releasing)
          mustEnqueueDue.store(true, ordering: .releasing)
          try? await Task.sleep(for: pause)  // cancelled: it claims no more
          pause = min(pause * 2, .seconds(2))
        }
      }
    }
  }

  /// Fills the buffer if it is low.
  ///
  /// - Returns: whether there is more to be claimed and room for it.
  private func claimOnce(_ pace: inout Pace) async throws -> Bool {
    let target = pace.target(taken: buffer.taken, now: .now)
    var new = newLanes.exchange(0, ordering: .relaxed)
    if mustPoll.exchange(false, ordering: .acquiringAndReleasing) || !queue.hasLanes {
      new += try await poll()
    }
    let idle = buffer.idle
    var room = target + idle - buffer.count
    // Half a buffer at least, so that claims are few and large; but one who comes new to the queue does not
    // wait for the jobs at hand of others.
    if new > 0 { room = max(room, min(new, Self.mostNewLanes) * 2) }
    guard room > 0, room * 2 >= target || idle > 0 || new > 0 else { return false }
    // Without lanes nobody is asked.
    let isAsked = queue.hasLanes
    let asked = ContinuousClock.now
    let taken = try await queue.take(
      worker: id,
      queues: configuration.queueNames,
      limit: min(room, 1_000),
      lease: configuration.lease
    )
    if isAsked { pulse.poll() }
    if isAsked, let meters {
      meters.claimDuration.record((ContinuousClock.now - asked) / .seconds(1))
      meters.claimed(taken.jobs)
    }
    guard mayClaim else {
      // It was told to stop while it was at it. Not released: the lease runs out.
      await Task { try? await queue.release(taken.jobs, worker: id) }.value
      return false
    }
    buffer.add(taken.jobs, lowWater: max(1, target / 2))
    if taken.isBusy { try await Task.sleep(for: .milliseconds(1)) }
    return taken.hasMore
  }

  /// - Returns: how many lanes have got jobs that had none.
  private func poll() async throws -> Int {
    let (new, again) = try await queue.poll(
      queues: Set(configuration.queueNames),
      kinds: Set(handlers.kinds),
      enqueuesDue: mustEnqueueDue.exchange(false, ordering: .acquiringAndReleasing)
    )
    pulse.poll()
    if again {
      mustEnqueueDue.store(true, ordering: .releasing)
      pollAgain()
    }
    return new
  }

  /// How many lanes that come new are claimed from though the buffer is full.
  private static let mostNewLanes = 64

  /// Commits the ends of claims as they come.
  func acknowledgeClaims() async {
    for await _ in ackSignal.given {
      do {
        let lost = try await queue.acknowledge(worker: id)
        if lost > 0 {
          meters?.claimsLost.increment(by: lost)
          logger.warning("claims were lost; their jobs run again", metadata: ["claims": "\(lost)"])
        }
      } catch is CancellationError {
        return
      } catch {
        logger.error("cannot acknowledge claims", metadata: ["error": "\(error)"])
        try? await Task.sleep(for: .milliseconds(200))  // cancelled: the loop ends
        ackSignal.give()
      }
    }
  }

  /// Claims from the lanes that got jobs if it knows them all; otherwise it polls.
  private func receive(_ notification: JobNotification) {
    guard let new = queue.add(notification) else { return pollAgain() }
    newLanes.add(new, ordering: .relaxed)
    claimSignal.give()
  }

  /// Listens for those who enqueue, and for those who cancel.
  func listen() async {
    for await event in database.listen(JobNotifier.channel.parts + JobRules.channel.parts) {
      switch event {
      case .notified(_, JobNotifier.stop, _): await endCancelled()
      case .notified(JobRules.channelName, _, _):
        // If it fails, the next heartbeat reads them.
        try? await queue.loadRules()
        pollAgain()
      case .resynchronise:
        // The server may have crashed: claims that nobody waited for are gone then, and transaction ids from
        // before it are given again, so that what is new cannot be told by them. The first time it is what
        // begins the work.
        queue.forgetLanes()
        pollAgain()
      case .notified(_, let payload, _): receive(JobNotification(payload: payload))
      }
    }
  }
}
