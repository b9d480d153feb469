import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import Testing

/// Jobs that leave their claim early: handed back, postponed, cancelled, or recorded as done.
@Suite(.serialized, .timeLimit(.minutes(60))) struct HandBackTests {
  @Test func `one job of a claim can be handed back while the worker continues with the other`()
    async throws
  {
    try await JobFixture.open { fixture in
      for _ in 0..<2 { try await fixture.enqueue() }
      let (worker, other) = (UUID(), UUID())
      let jobs = try await fixture.claim(by: worker)
      try await fixture.queue.release([jobs[0]], worker: worker)
      // A late completion is refused, though the claim is open.
      #expect(try await !fixture.queue.complete(jobs[0], worker: worker, effects: fixture.leaveTrace))
      let again = try await fixture.claim(by: other)
      #expect(again.map(\.id) == [jobs[0].id] && again.first?.attempt == 1)
      #expect(try await fixture.queue.complete(again[0], worker: other, effects: fixture.leaveTrace))
      #expect(try await fixture.traces() == 1)
    }
  }

  @Test func `a claim whose jobs were all cancelled before is acknowledged like any other`() async throws {
    try await JobFixture.open { fixture in
      let administration = JobAdministration(fixture.services)
      let worker = UUID()
      for id in [try await fixture.enqueue(), try await fixture.enqueue()] {
        try await administration.perform(.cancel, fixture.operatorContext, id: id)
      }
      #expect(try await fixture.claim(by: worker).isEmpty)
      #expect(try await fixture.queue.acknowledge(worker: worker) == 0)
      let open: SQL = """
        select count(*) from core.job_claim c
        where not exists (
          select from core.job_ack s where (s.company_id, s.lane, s.no) = (c.company_id, c.lane, c.no))
        """
      #expect(try await fixture.superuser.value(open, as: Int.self) == 0)
      // A claim with an open job is not acknowledged before that is done, though other claims were made with
      // it.
      try await administration.perform(.cancel, fixture.operatorContext, id: fixture.enqueue())
      let ids = [try await fixture.enqueue(), try await fixture.enqueue("test.other")]
      let left = try await fixture.claim(by: worker, kinds: ["test.job", "test.other"])
      #expect(Set(left.map(\.id)) == Set(ids))
      for (count, id) in [(1, ids[1]), (0, ids[0])] {
        let job = try #require(left.first { $0.id == id })
        #expect(fixture.queue.finish(job, worker: worker))
        #expect(try await fixture.queue.acknowledge(worker: worker) == 0)
        #expect(try await fixture.superuser.value(open, as: Int.self) == count)
      }
    }
  }

  @Test func `a postponed job runs again after its time, and the attempt does not count`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue(maxAttempts: 1)
      let worker = UUID()
      for _ in 0..<3 {
        let job = try #require(try await fixture.claim(by: worker).first)
        #expect(job.attempt == 1)
        #expect(try await fixture.queue.snooze(job, worker: worker, for: .seconds(3_600), why: "busy"))
        #expect(try await fixture.claim(by: worker).isEmpty)
        try await fixture.hurry()
      }
      let job = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.complete(job, worker: worker, effects: fixture.leaveTrace))
      #expect(try await fixture.attempts(id).map(\.outcome) == [.snoozed, .snoozed, .snoozed, .succeeded])
    }
  }

  @Test func `finished jobs of a long claim do not run again after a death`() async throws {
    try await JobFixture.open { fixture in
      for _ in 0..<3 { try await fixture.enqueue() }
      let worker = UUID()
      let jobs = try await fixture.claim(by: worker)
      #expect(!fixture.queue.finish(jobs[1], worker: worker))
      // Jobs are recorded only if their claim has been open for a while.
      try await until {
        try await fixture.queue.heartbeat(worker: worker, lease: .seconds(60))
        return try await fixture.attempts(jobs[1].id).map(\.outcome) == [.succeeded]
      }
      try await fixture.expire(worker)
      #expect(try await fixture.queue.rescue() == 2)
      let again = try await fixture.claim(by: UUID(), limit: 1) + fixture.claim(by: UUID(), limit: 1)
      #expect(Set(again.map(\.id)) == [jobs[0].id, jobs[2].id])
      #expect(try await fixture.job(jobs[1].id)?.state == .succeeded)
    }
  }

  @Test func `jobs without effects succeed with their claim, each with an attempt to be seen`() async throws {
    try await JobFixture.open { fixture in
      var ids: [UUID] = []
      for _ in 0..<5 { ids.append(try await fixture.enqueue()) }
      let worker = UUID()
      let jobs = try await fixture.claim(by: worker)
      let isLast = jobs.map { fixture.queue.finish($0, worker: worker) }
      #expect(isLast == [false, false, false, false, true])
      #expect(try await fixture.job(ids[0])?.state == .running, "until that is committed")
      #expect(try await fixture.queue.acknowledge(worker: worker) == 0)
      for id in ids {
        #expect(try await fixture.job(id)?.state == .succeeded)
        #expect(try await fixture.attempts(id).map(\.outcome) == [.succeeded])
      }
    }
  }

  @Test func `a claim that was taken from a worker is not acknowledged by it`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      let worker = UUID()
      let job = try #require(try await fixture.claim(by: worker).first)
      try await fixture.expire(worker)
      #expect(try await fixture.queue.rescue() == 1)
      #expect(fixture.queue.finish(job, worker: worker))
      #expect(try await fixture.queue.acknowledge(worker: worker) == 1)
      #expect(try await fixture.claim(by: UUID()).map(\.id) == [id], "it runs again")
    }
  }

  @Test func `a key that is held for a time outlives its job`() async throws {
    try await JobFixture.open { fixture in
      func enqueue() async throws {
        let job = NewJob(
          id: UUID(),
          kind: "test.job",
          payload: JSON(text: "{}"),
          uniqueKey: "daily",
          uniqueFor: .seconds(3_600)
        )
        try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
          try JobOutbox.write([job], company: fixture.company, traceID: nil, tx)
        }
      }
      let worker = UUID()
      try await enqueue()
      let job = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.complete(job, worker: worker) { _ in })
      try await enqueue()
      #expect(try await fixture.claim(by: worker).isEmpty, "not again within the time")
      try await fixture.superuser.execute("update core.job_key set until = now() - interval '1 second'")
      try await enqueue()
      #expect(try await fixture.claim(by: worker).count == 1)
    }
  }
}
