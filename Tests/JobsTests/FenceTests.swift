import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct FenceTests {
  @Test func `a worker that lost its lease cannot complete, fail or commit effects`() async throws {
    try await JobRoom.open { room in
      let id = try await room.enqueue()
      let (zombie, successor) = (UUID(), UUID())
      let lost = try #require(try await room.claim(by: zombie, lease: .seconds(-1)).first)
      #expect(try await room.queue.rescue() == 1)
      // No other worker has it yet, but the zombie has lost it.
      #expect(try await !room.queue.complete(lost, worker: zombie, effects: room.leaveTrace))
      let held = try #require(try await room.claim(by: successor).first)
      #expect(try await !room.queue.complete(lost, worker: zombie, effects: room.leaveTrace))
      #expect(try await !room.queue.fail(lost, worker: zombie, error: "late", retryAfter: nil))
      try await room.queue.release([lost], worker: zombie)
      #expect(try await room.job(id)?.state == .running)
      #expect(try await room.traces() == 0)
      #expect(try await room.queue.complete(held, worker: successor, effects: room.leaveTrace))
      #expect(try await room.traces() == 1)
      #expect(try await room.attempts(id).map(\.outcome) == [.lost, .succeeded])
    }
  }

  @Test func `the same worker's earlier claim is fenced off too`() async throws {
    try await JobRoom.open { room in
      try await room.enqueue()
      let worker = UUID()
      let lost = try #require(try await room.claim(by: worker, lease: .seconds(-1)).first)
      #expect(try await room.queue.rescue() == 1)
      let held = try #require(try await room.claim(by: worker).first)
      #expect(try await !room.queue.complete(lost, worker: worker, effects: room.leaveTrace))
      try await room.queue.heartbeat(worker: worker, lease: .seconds(60))
      #expect(lost.isLost && !held.isLost)
    }
  }

  @Test func `a dead job is not revived by the worker that had it`() async throws {
    try await JobRoom.open { room in
      let id = try await room.enqueue(maxAttempts: 1)
      let worker = UUID()
      #expect(try await room.claim(by: worker, lease: .zero).count == 1)
      #expect(try await room.queue.rescue() == 1)
      let job = try #require(try await room.claim(by: worker).first)
      #expect(try await room.queue.begin(job, worker: worker))
      try await room.expire(worker)
      #expect(try await room.queue.rescue() == 1)
      #expect(try await room.job(id)?.state == .dead)
      // No new row of the job shows it, only the acknowledgement of the claim.
      #expect(try await !room.queue.complete(job, worker: worker, effects: room.leaveTrace))
      #expect(try await !room.queue.fail(job, worker: worker, error: "late", retryAfter: nil))
      #expect(try await room.traces() == 0)
      #expect(try await room.job(id)?.state == .dead)
    }
  }

  @Test func `a worker cannot complete a job that another one has`() async throws {
    try await JobRoom.open { room in
      let id = try await room.enqueue()
      let (owner, other) = (UUID(), UUID())
      let job = try #require(try await room.claim(by: owner).first)
      #expect(try await room.claim(by: other).isEmpty)
      #expect(try await !room.queue.complete(job, worker: other, effects: room.leaveTrace))
      #expect(try await room.traces() == 0)
      #expect(try await room.job(id)?.state == .running)
    }
  }

  @Test func `effects and success are committed together`() async throws {
    try await JobRoom.open { room in
      let id = try await room.enqueue()
      let worker = UUID()
      let job = try #require(try await room.claim(by: worker).first)
      await #expect(throws: PostgresError.self) {
        try await room.queue.complete(job, worker: worker) { tx in
          try room.leaveTrace(tx)
          try tx.execute("select 1 / 0")
        }
      }
      #expect(try await room.traces() == 0)
      #expect(try await room.job(id)?.state == .running)
      #expect(try await room.queue.complete(job, worker: worker, effects: room.leaveTrace))
      #expect(try await room.traces() == 1)
      #expect(try await room.job(id)?.state == .succeeded)
    }
  }

  @Test func `effects cannot reach another company`() async throws {
    try await JobRoom.open { room in
      let other = UUID()
      try await room.superuser.execute(
        "insert into core.company (id, slug, name) values (\(other), 'b', 'B')"
      )
      try await room.enqueue()
      let worker = UUID()
      let job = try #require(try await room.claim(by: worker).first)
      await #expect(throws: PostgresError.self) {
        try await room.queue.complete(job, worker: worker) { tx in
          let stray = NewJob(id: UUID(), kind: "test.trace", payload: JSON(text: "{}"))
          try JobOutbox.write([stray], company: other, traceID: nil, tx)
        }
      }
      #expect(try await room.traces() == 0)
    }
  }
}
