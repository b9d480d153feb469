import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct LeaseTests {
  @Test func `handing back does not count the attempt`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let worker = UUID()
      try await fixture.queue.release(try await fixture.claim(by: worker), worker: worker)
      let fresh = try #require(try await fixture.job(id))
      #expect(fresh.state == .queued && fresh.attempt == 0)
      let job = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.fail(job, worker: worker, error: "no", retryAfter: .seconds(-1)))
      try await fixture.queue.release(try await fixture.claim(by: worker), worker: worker)
      let tried = try #require(try await fixture.job(id))
      #expect(tried.state == .retrying && tried.attempt == 1)
      let last = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.complete(last, worker: worker) { _ in })
      #expect(try await fixture.attempts(id).map(\.attempt) == [1, 2])
    }
  }

  @Test func `a heartbeat renews the lease of claims and reports lost ones`() async throws {
    try await JobFixture.open { fixture in
      for _ in 0..<2 { try await fixture.enqueue() }
      let (worker, other) = (UUID(), UUID())
      let lost = try #require(try await fixture.claim(by: worker, limit: 1, lease: .seconds(-1)).first)
      #expect(try await fixture.queue.rescue() == 1)
      let kept = try #require(try await fixture.claim(by: worker, limit: 1, lease: .seconds(5)).first)
      let taken = try #require(try await fixture.claim(by: other, lease: .seconds(5)).first)
      #expect(taken.id == lost.id)
      #expect(kept.id != lost.id)
      try await fixture.queue.heartbeat(worker: worker, lease: .seconds(3_600))
      #expect(lost.isLost && !kept.isLost)
      let long = try await fixture.superuser.rows(
        "select id from core.job where lease_until > now() + interval '10 minutes'",
        UUID.self
      )
      #expect(long == [kept.id])
    }
  }

  @Test func `a rescue ends expired claims and leaves the others`() async throws {
    try await JobFixture.open { fixture in
      let expired = try await fixture.enqueue(priority: 1)
      let held = try await fixture.enqueue()
      _ = try await fixture.claim(by: UUID(), limit: 1, lease: .seconds(-1))
      _ = try await fixture.claim(by: UUID(), limit: 1, lease: .seconds(60))
      let freed = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 { group.addTask { try await fixture.queue.rescue() } }
        return try await group.reduce(0, +)
      }
      #expect(freed == 1)
      #expect(try await fixture.job(expired)?.state == .retrying)
      #expect(try await fixture.job(held)?.state == .running)
      #expect(try await fixture.attempts(expired).map(\.outcome) == [.lost])
    }
  }
}
