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
          // After a crash of the server claims may be gone, and transaction ids given anew.
          queue.forgetLanes()
          // What a look that failed was to find is still to be found.
          mustLook.store(true, ordering: .releasing)
          mustPost.store(true, ordering: .releasing)
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
    if mustLook.exchange(false, ordering: .acquiringAndReleasing) || !queue.hasLanes {
      new += try await look()
    }
    let idle = buffer.idle
    var room = target + idle - buffer.count
    // Half a buffer at least, so that claims are few and large; but one who comes new to the queue does not wait for
    // the jobs at hand of others.
    if new > 0 { room = max(room, min(new, Self.newcomers) * 2) }
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
    if isAsked { pulse.look() }
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
  private func look() async throws -> Int {
    let (new, again) = try await queue.look(
      queues: Set(configuration.queueNames),
      kinds: Set(handlers.kinds),
      posts: mustPost.exchange(false, ordering: .acquiringAndReleasing)
    )
    pulse.look()
    if again {
      mustPost.store(true, ordering: .releasing)
      lookAgain()
    }
    return new
  }

  /// How many lanes that come new are claimed from though the buffer is full.
  private static let newcomers = 64

  /// Commits the ends of claims as they come.
  func settleClaims() async {
    for await _ in settleSignal.given {
      do {
        let lost = try await queue.settle(worker: id)
        if lost > 0 {
          meters?.claimsLost.increment(by: lost)
          logger.warning("claims were lost; their jobs run again", metadata: ["claims": "\(lost)"])
        }
      } catch is CancellationError {
        return
      } catch {
        logger.error("cannot settle", metadata: ["error": "\(error)"])
        try? await Task.sleep(for: .milliseconds(200))  // cancelled: the loop ends
        settleSignal.give()
      }
    }
  }

  /// Claims from the lanes that got jobs, if it knows them all; otherwise it has to look which they are.
  private func hear(_ news: JobNews) {
    guard let new = queue.add(news) else { return lookAgain() }
    newLanes.add(new, ordering: .relaxed)
    claimSignal.give()
  }

  /// Listens for those who enqueue, and for those who cancel.
  func listen() async {
    for await event in database.listen(JobBell.channel.parts + JobRules.channel.parts) {
      switch event {
      case .notified(_, JobBell.stop, _): await endCancelled()
      case .notified(JobRules.channelName, _, _):
        // If it fails, the next heartbeat reads them.
        try? await queue.loadRules()
        lookAgain()
      case .resynchronise:
        // The server may have crashed: claims that nobody waited for are gone then, and transaction ids of before it
        // are given anew, so that what is new cannot be told by them. The first time it is what begins the work.
        queue.forgetLanes()
        lookAgain()
      case .notified(_, let payload, _): hear(JobNews(payload: payload))
      }
    }
  }
}
