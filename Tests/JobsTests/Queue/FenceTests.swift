import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct FenceTests {
  @Test func `a worker that lost its lease cannot complete, fail or commit effects`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let (zombie, successor) = (UUID(), UUID())
      let lost = try #require(try await fixture.claim(by: zombie, lease: .seconds(-1)).first)
      #expect(try await fixture.queue.rescue() == 1)
      // No other worker has it yet, but the zombie has lost it.
      #expect(try await !fixture.queue.complete(lost, worker: zombie, effects: fixture.leaveTrace))
      let held = try #require(try await fixture.claim(by: successor).first)
      #expect(try await !fixture.queue.complete(lost, worker: zombie, effects: fixture.leaveTrace))
      #expect(try await !fixture.queue.fail(lost, worker: zombie, error: "late", retryAfter: nil))
      try await fixture.queue.release([lost], worker: zombie)
      #expect(try await fixture.job(id)?.state == .running)
      #expect(try await fixture.traces() == 0)
      #expect(try await fixture.queue.complete(held, worker: successor, effects: fixture.leaveTrace))
      #expect(try await fixture.traces() == 1)
      #expect(try await fixture.attempts(id).map(\.outcome) == [.lost, .succeeded])
    }
  }

  @Test func `the same worker's earlier claim is fenced off too`() async throws {
    try await JobFixture.open { fixture in
      try await fixture.enqueue()
      let worker = UUID()
      let lost = try #require(try await fixture.claim(by: worker, lease: .seconds(-1)).first)
      #expect(try await fixture.queue.rescue() == 1)
      let held = try #require(try await fixture.claim(by: worker).first)
      #expect(try await !fixture.queue.complete(lost, worker: worker, effects: fixture.leaveTrace))
      try await fixture.queue.heartbeat(worker: worker, lease: .seconds(60))
      #expect(lost.isLost && !held.isLost)
    }
  }

  @Test func `a dead job is not revived by the worker that had it`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue(maxAttempts: 1)
      let worker = UUID()
      #expect(try await fixture.claim(by: worker, lease: .zero).count == 1)
      #expect(try await fixture.queue.rescue() == 1)
      let job = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.begin(job, worker: worker))
      try await fixture.expire(worker)
      #expect(try await fixture.queue.rescue() == 1)
      #expect(try await fixture.job(id)?.state == .dead)
      // No new row of the job shows it, only the acknowledgement of the claim.
      #expect(try await !fixture.queue.complete(job, worker: worker, effects: fixture.leaveTrace))
      #expect(try await !fixture.queue.fail(job, worker: worker, error: "late", retryAfter: nil))
      #expect(try await fixture.traces() == 0)
      #expect(try await fixture.job(id)?.state == .dead)
    }
  }

  @Test func `a worker cannot complete a job that another one has`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let (owner, other) = (UUID(), UUID())
      let job = try #require(try await fixture.claim(by: owner).first)
      #expect(try await fixture.claim(by: other).isEmpty)
      #expect(try await !fixture.queue.complete(job, worker: other, effects: fixture.leaveTrace))
      #expect(try await fixture.traces() == 0)
      #expect(try await fixture.job(id)?.state == .running)
    }
  }

  @Test func `effects and success are committed together`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let worker = UUID()
      let job = try #require(try await fixture.claim(by: worker).first)
      await #expect(throws: PostgresError.self) {
        try await fixture.queue.complete(job, worker: worker) { tx in
          try fixture.leaveTrace(tx)
          try tx.execute("select 1 / 0")
        }
      }
      #expect(try await fixture.traces() == 0)
      #expect(try await fixture.job(id)?.state == .running)
      #expect(try await fixture.queue.complete(job, worker: worker, effects: fixture.leaveTrace))
      #expect(try await fixture.traces() == 1)
      #expect(try await fixture.job(id)?.state == .succeeded)
    }
  }

  @Test func `effects cannot reach another company`() async throws {
    try await JobFixture.open { fixture in
      let other = UUID()
      try await fixture.superuser.execute(
        "insert into core.company (id, slug, name) values (\(other), 'b', 'B')"
      )
      try await fixture.enqueue()
      let worker = UUID()
      let job = try #require(try await fixture.claim(by: worker).first)
      await #expect(throws: PostgresError.self) {
        try await fixture.queue.complete(job, worker: worker) { tx in
          let stray = NewJob(id: UUID(), kind: "test.trace", payload: JSON(text: "{}"))
          try JobOutbox.write([stray], company: other, traceID: nil, tx)
        }
      }
      #expect(try await fixture.traces() == 0)
    }
  }
}
