import Testing

@testable import Jobs

@Suite struct ClaimLoopTests {
  private let start = ContinuousClock.now

  private func loop(prefetch: Int = 2_000) -> ClaimLoop { ClaimLoop(prefetch: prefetch, now: start) }

  /// Returns a waiting loop, after a first poll without result.
  private func waitingLoop(prefetch: Int = 2_000) -> ClaimLoop {
    var loop = loop(prefetch: prefetch)
    #expect(loop.turn(hasLanes: true) == .poll(enqueuesDue: true))
    loop.polled(newLanes: 0, hasMore: false)
    #expect(loop.demand(taken: 0, buffered: 0, idle: 0, at: start) == .wait)
    return loop
  }

  @Test func `the first turn polls, later ones only when a poll is due or no lanes are known`() {
    var loop = waitingLoop()
    #expect(loop.turn(hasLanes: true) == nil)
    #expect(loop.turn(hasLanes: false) == .poll(enqueuesDue: false))
    loop.requirePoll(enqueuesDue: true)
    #expect(loop.turn(hasLanes: true) == .poll(enqueuesDue: true))
  }

  @Test func `idle slots are claimed for, within the limit of one claim`() {
    var loop = waitingLoop()
    #expect(loop.demand(taken: 0, buffered: 0, idle: 3, at: start) == .claim(3))
    #expect(loop.demand(taken: 0, buffered: 3, idle: 3, at: start) == .wait)
    #expect(loop.demand(taken: 0, buffered: 0, idle: 5_000, at: start) == .claim(1_000))
  }

  @Test func `new lanes are claimed from although the buffer is full`() {
    var loop = waitingLoop(prefetch: 0)
    loop.addLanes(3)
    #expect(loop.demand(taken: 0, buffered: 100, idle: 0, at: start) == .claim(6))
    #expect(loop.demand(taken: 0, buffered: 100, idle: 0, at: start) == .wait, "once")
    loop.addLanes(1_000)
    #expect(loop.demand(taken: 0, buffered: 100, idle: 0, at: start) == .claim(128))
  }

  @Test func `the buffer follows the pace, up to the prefetch`() {
    var loop = waitingLoop(prefetch: 100)
    // 1000 jobs in 100 ms are 400 jobs in the 40 ms for which the buffer should last.
    #expect(loop.demand(taken: 1_000, buffered: 0, idle: 0, at: start + .milliseconds(100)) == .claim(100))
    #expect(loop.lowWater == 50)
    #expect(
      loop.demand(taken: 1_000, buffered: 60, idle: 0, at: start + .milliseconds(100)) == .wait,
      "a small claim is not worth it"
    )
  }

  @Test func `an event wakes a waiting loop once, and gives a busy one another turn`() {
    var loop = waitingLoop()
    #expect(loop.wake() == true)
    #expect(loop.wake() == false)
    _ = loop.turn(hasLanes: true)
    #expect(loop.demand(taken: 0, buffered: 0, idle: 1, at: start) == .claim(1))
    #expect(loop.wake() == false, "it is at work")
    #expect(loop.claimed(hasMore: false, isBusy: false, at: start) == .turn)
    _ = loop.turn(hasLanes: true)
    #expect(loop.demand(taken: 0, buffered: 0, idle: 0, at: start) == .wait)
  }

  @Test func `a full batch is followed by another claim, after a moment if others claim too`() {
    var loop = waitingLoop()
    #expect(loop.claimed(hasMore: true, isBusy: false, at: start) == .turn)
    #expect(loop.claimed(hasMore: true, isBusy: true, at: start) == .sleep(until: start + .milliseconds(1)))
    #expect(loop.claimed(hasMore: false, isBusy: false, at: start) == .wait)
  }

  @Test func `failures are repeated after growing pauses, with a poll`() {
    var loop = waitingLoop()
    for pause in [50, 100, 200, 400, 800, 1_600, 2_000, 2_000] {
      #expect(loop.failed(at: start) == .sleep(until: start + .milliseconds(pause)))
      #expect(loop.turn(hasLanes: true) == .poll(enqueuesDue: true))
    }
    #expect(loop.claimed(hasMore: false, isBusy: false, at: start) == .wait)
    #expect(loop.failed(at: start) == .sleep(until: start + .milliseconds(50)))
  }

  @Test func `a poll that may find more is repeated`() {
    var loop = loop()
    #expect(loop.turn(hasLanes: false) == .poll(enqueuesDue: true))
    loop.polled(newLanes: 0, hasMore: true)
    #expect(loop.demand(taken: 0, buffered: 0, idle: 0, at: start) == .turn)
    #expect(loop.turn(hasLanes: true) == .poll(enqueuesDue: true))
  }

  @Test func `claims that end during an acknowledgement are in the next one`() {
    var acks = AckState()
    #expect(acks.claimEnded() == true)
    #expect(acks.claimEnded() == false, "it is woken already")
    #expect(acks.next() == .acknowledge)
    #expect(acks.claimEnded() == false)
    #expect(acks.next() == .acknowledge)
    #expect(acks.failed(at: start) == .sleep(until: start + .milliseconds(200)))
    #expect(acks.claimEnded() == false)
    #expect(acks.next() == .acknowledge)
    #expect(acks.next() == .wait)
    #expect(acks.claimEnded() == true)
  }
}
