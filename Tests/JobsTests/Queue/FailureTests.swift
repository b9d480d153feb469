import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@testable import Jobs

@Suite(.serialized, .timeLimit(.minutes(60))) struct FailureTests {
  private struct Odd: Error {}

  @Test(arguments: [
    (attempt: 1, random: 0.0, wait: 50), (1, 0.5, 500), (2, 0.5, 1_000), (3, 0.5, 2_000), (4, 1.0, 8_000),
    (12, 1.0, 2_048_000), (13, 1.0, 3_600_000), (60, 1.0, 3_600_000), (60, 0.0, 50),
  ])
  func `the wait is drawn below a ceiling that doubles`(attempt: Int, random: Double, wait: Int) {
    let verdict = FailureVerdict(Odd(), attempt: attempt, of: 100, random: random)
    #expect(verdict.retryAfter == .milliseconds(wait))
  }

  @Test func `the last attempt has no other after it, a permanent failure neither`() {
    #expect(FailureVerdict(Odd(), attempt: 5, of: 5).retryAfter == nil)
    #expect(FailureVerdict(Odd(), attempt: 4, of: 5).retryAfter != nil)
    #expect(FailureVerdict(JobFailure.permanent("gone"), attempt: 1, of: 5).retryAfter == nil)
    let put = JobFailure.temporary("busy", after: .seconds(90))
    #expect(FailureVerdict(put, attempt: 1, of: 5).retryAfter == .seconds(90))
    #expect(FailureVerdict(put, attempt: 5, of: 5).retryAfter == nil)
  }

  @Test func `the reason is a sentence for people`() {
    #expect(FailureVerdict(JobFailure.permanent("gone"), attempt: 1, of: 5).reason == "gone")
    let refusal = DomainError(.unknownType, "there is no record type x")
    #expect(FailureVerdict(refusal, attempt: 1, of: 5).reason == "there is no record type x")
  }

  @Test func `a failed job waits, and is dead after its last attempt`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue(maxAttempts: 2)
      let worker = UUID()
      let first = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.fail(first, worker: worker, error: "one", retryAfter: .seconds(3_600)))
      let waiting = try #require(try await fixture.job(id))
      #expect(waiting.state == .retrying && waiting.finishedAt == nil)
      #expect(waiting.runAt > waiting.createdAt)
      #expect(try await fixture.claim(by: worker).isEmpty)
      try await fixture.hurry()
      let second = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.fail(second, worker: worker, error: "two", retryAfter: nil))
      let dead = try #require(try await fixture.job(id))
      #expect(dead.state == .dead && dead.finishedAt != nil)
      #expect(try await fixture.claim(by: worker).isEmpty)
      #expect(try await fixture.attempts(id).map(\.error) == ["one", "two"])
      #expect(try await fixture.attempts(id).map(\.attempt) == [1, 2])
    }
  }

  @Test func `a job that kills its worker as often as it may be tried is dead`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue(maxAttempts: 3)
      for attempt in 1...3 {
        let worker = UUID()
        let job = try #require(try await fixture.claim(by: worker).first)
        #expect(job.attempt == attempt)
        #expect(try await fixture.queue.begin(job, worker: worker))
        try await fixture.expire(worker)
        #expect(try await fixture.queue.rescue() == 1)
      }
      #expect(try await fixture.job(id)?.state == .dead)
      #expect(try await fixture.claim(by: UUID()).isEmpty)
      #expect(try await fixture.attempts(id).map(\.outcome) == [.lost, .lost, .lost])
      let blamed = try await fixture.superuser.value(
        "select count(distinct worker_id)::int from core.job_attempt",
        as: Int.self
      )
      #expect(blamed == 3)
    }
  }

  @Test func `a dead job that is retried by hand has one more attempt`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue(maxAttempts: 1)
      let worker = UUID()
      let job = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.fail(job, worker: worker, error: "no", retryAfter: nil))
      let isQueued = try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
        try JobListing.retry(company: fixture.company, id: id, tx)
      }
      #expect(isQueued)
      let again = try #require(try await fixture.claim(by: worker).first)
      #expect(again.attempt == 2 && again.maxAttempts == 2)
      #expect(try await fixture.queue.complete(again, worker: worker) { _ in })
      #expect(try await fixture.attempts(id).map(\.outcome) == [.failed, .succeeded])
    }
  }
}
