import EngineFixtures
import Testing

@testable import Jobs

@Suite struct PulseTests {
  private let start = ContinuousClock.now

  private func standing(_ pulse: WorkerPulse, after seconds: Int) -> WorkerPulse.Standing {
    pulse.standing(now: start + .seconds(seconds)).standing
  }

  @Test func `a worker is ready when the database has answered, and for a while after`() {
    let pulse = WorkerPulse(now: start)
    #expect(standing(pulse, after: 1) == .starting)
    pulse.poll(start + .seconds(1))
    #expect(standing(pulse, after: 1) == .ready)
    #expect(standing(pulse, after: 6) == .ready)
    pulse.turn(start + .seconds(7))
    #expect(standing(pulse, after: 7) == .unready)
    pulse.poll(start + .seconds(13))
    #expect(standing(pulse, after: 14) == .ready)
  }

  @Test func `a database that refuses makes it unready, with the reason, and leaves it alive`() {
    let pulse = WorkerPulse(now: start)
    pulse.poll(start)
    for second in 1...60 { pulse.turn(start + .seconds(second)) }
    pulse.fail("connection refused")
    let (standing, why) = pulse.standing(now: start + .seconds(60))
    #expect(standing == .unready)
    #expect(why == "no response from the database for 60 s: connection refused")
  }

  @Test func `a loop that does not go on is stalled, even if it has never started`() {
    let pulse = WorkerPulse(now: start)
    #expect(standing(pulse, after: 31) == .stalled)
    pulse.poll(start + .seconds(31))
    #expect(standing(pulse, after: 61) == .unready)
    #expect(standing(pulse, after: 62) == .stalled)
  }

  @Test func `a worker that stops is not ready, and alive for as long as it takes`() {
    let pulse = WorkerPulse(now: start)
    pulse.poll(start)
    pulse.stop()
    #expect(standing(pulse, after: 1) == .stopping)
    #expect(standing(pulse, after: 600) == .stopping)
  }
}
