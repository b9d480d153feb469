import Testing

@testable import Domain

@Suite struct JobTests {
  @Test func `a job has ended once it succeeded, died or was cancelled`() {
    #expect(JobState.allCases.filter(\.isFinished) == [.succeeded, .dead, .cancelled])
  }

  @Test func `waits double up to the ceiling`() {
    let policy = RetryPolicy.jobs
    #expect((1...4).map(policy.limit(afterAttempt:)) == [1, 2, 4, 8].map(Duration.seconds))
    #expect(policy.limit(afterAttempt: 40) == .seconds(3_600))
    #expect(policy.limit(afterAttempt: 10_000) == .seconds(3_600))
    #expect(policy.limit(afterAttempt: 0) == .seconds(1))
    let steep = RetryPolicy(base: .seconds(30), factor: 4, ceiling: .seconds(3_600), jitter: 0.75...1.25)
    #expect((1...4).map(steep.limit(afterAttempt:)) == [30, 120, 480, 1_920].map(Duration.seconds))
  }

  @Test(arguments: [1, 3, 20])
  func `jitter covers its whole range and nothing else`(attempt: Int) {
    let limit = RetryPolicy.jobs.limit(afterAttempt: attempt)
    #expect(RetryPolicy.jobs.delay(afterAttempt: attempt, random: 0) == RetryPolicy.shortest)
    #expect(RetryPolicy.jobs.delay(afterAttempt: attempt, random: 0.5) == limit / 2)
    let around = RetryPolicy(base: .seconds(30), ceiling: .seconds(3_600), jitter: 0.75...1.25)
    #expect(around.delay(afterAttempt: 1, random: 0) == .seconds(30) * 0.75)
    #expect(around.delay(afterAttempt: 1, random: 0.5) == .seconds(30))
    #expect(RetryPolicy.timers.delay(afterAttempt: 2, random: 0.3) == .seconds(10))
  }
}
