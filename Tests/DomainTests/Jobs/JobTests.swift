import FoundationEssentials
import Testing

@testable import Domain

@Suite struct JobTests {
  @Test func `a job moves exactly so, and otherwise not at all`() throws {
    typealias Event = JobState.Event
    let moves: [JobState: [Event: JobState]] = [
      .queued: [.claim: .running, .cancel: .cancelled],
      .running: [
        .complete: .succeeded, .fail: .retrying, .kill: .dead, .release: .queued, .cancel: .cancelled,
      ],
      .retrying: [.claim: .running, .cancel: .cancelled, .retry: .queued],
      .succeeded: [:],
      .dead: [.retry: .queued],
      .cancelled: [.retry: .queued],
    ]
    for state in JobState.allCases {
      for event in Event.allCases {
        if let expected = moves[state]?[event] {
          #expect(try state.after(event) == expected, "\(state) \(event)")
        } else {
          #expect(refusal { _ = try state.after(event) }?.code == .wrongState, "\(state) \(event)")
        }
      }
    }
    #expect(JobState.allCases.filter(\.isFinished) == [.succeeded, .dead, .cancelled])
  }

  @Test func `waits double up to the ceiling, and the last attempt is followed by none`() {
    let policy = RetryPolicy()
    #expect((1...4).map(policy.limit(afterAttempt:)) == [2_000_000, 4_000_000, 8_000_000, 16_000_000])
    #expect(policy.limit(afterAttempt: 40) == 3_600_000_000)
    #expect(policy.limit(afterAttempt: 10_000) == 3_600_000_000)
    var generator = SeededGenerator(seed: 1)
    #expect(policy.delay(afterAttempt: 4, using: &generator) != nil)
    #expect(policy.delay(afterAttempt: 5, using: &generator) == nil)
    #expect(RetryPolicy.impatient.delay(afterAttempt: 3, using: &generator) == nil)
  }

  @Test(arguments: Seed.several)
  func `a wait lies between nothing and its limit, and uses the whole of it`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let policy = RetryPolicy(maximumAttempts: 100)
    let attempt = Int.random(in: 1...99, using: &generator)
    let limit = policy.limit(afterAttempt: attempt)
    let waits = (0..<200).compactMap { _ in policy.delay(afterAttempt: attempt, using: &generator) }
    #expect(waits.count == 200)
    #expect(waits.allSatisfy { (0...limit).contains($0) })
    #expect(waits.contains { $0 < limit / 4 } && waits.contains { $0 > limit / 4 * 3 })
  }

  @Test func `a lease keeps others out until it ends, and then its fence does`() throws {
    let now = Fixture.now
    let first = try #require(Lease.claim(by: Fixture.ana, lastFence: 4, held: nil, at: now))
    #expect(first.fence == 5)
    #expect(first.until == now.advanced(byMicroseconds: Lease.length))
    let almost = try #require(now.advanced(byMicroseconds: Lease.length - 1))
    #expect(Lease.claim(by: Fixture.ben, lastFence: 5, held: first, at: almost) == nil)
    let second = try #require(Lease.claim(by: Fixture.ben, lastFence: 5, held: first, at: first.until))
    #expect(second.fence == 6)
    try second.requireCurrent(fence: 6)
    #expect(refusal { try first.requireCurrent(fence: 6) }?.code == .leaseLost)
  }

  @Test func `a lease is renewed in time or not at all`() throws {
    let lease = Lease(
      worker: Fixture.ana,
      fence: 1,
      until: try #require(Fixture.now.advanced(byMicroseconds: Lease.length))
    )
    let renewal = lease.renewal()
    #expect(Fixture.now.microseconds(until: renewal) == Lease.length / 3)
    let renewed = try lease.renewed(at: renewal)
    #expect(renewed.until == renewal.advanced(byMicroseconds: Lease.length))
    #expect(renewed.fence == 1)
    #expect(try lease.renewed(at: Fixture.now, for: 1).until == lease.until)
    #expect(refusal { _ = try lease.renewed(at: lease.until) }?.code == .leaseLost)
  }

  @Test(arguments: Seed.several)
  func `of many workers one holds a job at a time, and fences only grow`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let workers = (0..<4).map { _ in UUID() }
    var now = Fixture.now
    var held: Lease?
    for _ in 0..<200 {
      now = try #require(now.advanced(byMicroseconds: .random(in: 0...6_000_000, using: &generator)))
      let worker = workers.randomElement(using: &generator) ?? workers[0]
      if let claim = Lease.claim(by: worker, lastFence: held?.fence ?? 0, held: held, at: now) {
        #expect(held?.isExpired(at: now) ?? true)
        #expect(claim.fence == (held?.fence ?? 0) + 1)
        held = claim
      } else {
        #expect(held?.isExpired(at: now) == false)
      }
    }
  }
}
