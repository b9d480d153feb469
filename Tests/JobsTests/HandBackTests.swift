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
@Suite(.serialized, .timeLimit(.minutes(30))) struct HandBackTests {
  @Test func `one job of a claim can be handed back while the worker continues with the other`()
    async throws
  {
    try await JobRoom.open { room in
      for _ in 0..<2 { try await room.enqueue() }
      let (worker, other) = (UUID(), UUID())
      let jobs = try await room.claim(by: worker)
      try await room.queue.release([jobs[0]], worker: worker)
      // A late completion is refused, though the claim is open.
      #expect(try await !room.queue.complete(jobs[0], worker: worker, effects: room.leaveTrace))
      let again = try await room.claim(by: other)
      #expect(again.map(\.id) == [jobs[0].id] && again.first?.attempt == 1)
      #expect(try await room.queue.complete(again[0], worker: other, effects: room.leaveTrace))
      #expect(try await room.traces() == 1)
    }
  }

  @Test func `a claim whose jobs were all cancelled before is acknowledged like any other`() async throws {
    try await JobRoom.open { room in
      let administration = JobAdministration(room.services)
      let worker = UUID()
      for id in [try await room.enqueue(), try await room.enqueue()] {
        try await administration.perform(.cancel, room.operatorContext, id: id)
      }
      #expect(try await room.claim(by: worker).isEmpty)
      #expect(try await room.queue.acknowledge(worker: worker) == 0)
      let open: SQL = """
        select count(*) from core.job_claim c
        where not exists (
          select from core.job_ack s where (s.company_id, s.lane, s.no) = (c.company_id, c.lane, c.no))
        """
      #expect(try await room.superuser.value(open, as: Int.self) == 0)
      // A claim with an open job is not acknowledged before that is done, though other claims were made with
      // it.
      try await administration.perform(.cancel, room.operatorContext, id: room.enqueue())
      let ids = [try await room.enqueue(), try await room.enqueue("test.other")]
      let left = try await room.claim(by: worker, kinds: ["test.job", "test.other"])
      #expect(Set(left.map(\.id)) == Set(ids))
      for (count, id) in [(1, ids[1]), (0, ids[0])] {
        let job = try #require(left.first { $0.id == id })
        #expect(room.queue.finish(job, worker: worker))
        #expect(try await room.queue.acknowledge(worker: worker) == 0)
        #expect(try await room.superuser.value(open, as: Int.self) == count)
      }
    }
  }

  @Test func `a postponed job runs again after its time, and the attempt does not count`() async throws {
    try await JobRoom.open { room in
      let id = try await room.enqueue(maxAttempts: 1)
      let worker = UUID()
      for _ in 0..<3 {
        let job = try #require(try await room.claim(by: worker).first)
        #expect(job.attempt == 1)
        #expect(try await room.queue.snooze(job, worker: worker, for: .seconds(3_600), why: "busy"))
        #expect(try await room.claim(by: worker).isEmpty)
        try await room.hurry()
      }
      let job = try #require(try await room.claim(by: worker).first)
      #expect(try await room.queue.complete(job, worker: worker, effects: room.leaveTrace))
      #expect(try await room.attempts(id).map(\.outcome) == [.snoozed, .snoozed, .snoozed, .succeeded])
    }
  }

  @Test func `finished jobs of a long claim do not run again after a death`() async throws {
    try await JobRoom.open { room in
      for _ in 0..<3 { try await room.enqueue() }
      let worker = UUID()
      let jobs = try await room.claim(by: worker)
      #expect(!room.queue.finish(jobs[1], worker: worker))
      // Jobs are recorded only if their claim has been open for a while.
      try await until {
        try await room.queue.heartbeat(worker: worker, lease: .seconds(60))
        return try await room.attempts(jobs[1].id).map(\.outcome) == [.succeeded]
      }
      try await room.expire(worker)
      #expect(try await room.queue.rescue() == 2)
      let again = try await room.claim(by: UUID(), limit: 1) + room.claim(by: UUID(), limit: 1)
      #expect(Set(again.map(\.id)) == [jobs[0].id, jobs[2].id])
      #expect(try await room.job(jobs[1].id)?.state == .succeeded)
    }
  }

  @Test func `jobs without effects succeed with their claim, each with an attempt to be seen`() async throws {
    try await JobRoom.open { room in
      var ids: [UUID] = []
      for _ in 0..<5 { ids.append(try await room.enqueue()) }
      let worker = UUID()
      let jobs = try await room.claim(by: worker)
      let isLast = jobs.map { room.queue.finish($0, worker: worker) }
      #expect(isLast == [false, false, false, false, true])
      #expect(try await room.job(ids[0])?.state == .running, "until that is committed")
      #expect(try await room.queue.acknowledge(worker: worker) == 0)
      for id in ids {
        #expect(try await room.job(id)?.state == .succeeded)
        #expect(try await room.attempts(id).map(\.outcome) == [.succeeded])
      }
    }
  }

  @Test func `a claim that was taken from a worker is not acknowledged by it`() async throws {
    try await JobRoom.open { room in
      let id = try await room.enqueue()
      let worker = UUID()
      let job = try #require(try await room.claim(by: worker).first)
      try await room.expire(worker)
      #expect(try await room.queue.rescue() == 1)
      #expect(room.queue.finish(job, worker: worker))
      #expect(try await room.queue.acknowledge(worker: worker) == 1)
      #expect(try await room.claim(by: UUID()).map(\.id) == [id], "it runs again")
    }
  }

  @Test func `a key that is held for a time outlives its job`() async throws {
    try await JobRoom.open { room in
      func enqueue() async throws {
        let job = NewJob(
          id: UUID(),
          kind: "test.job",
          payload: JSON(text: "{}"),
          uniqueKey: "daily",
          uniqueFor: .seconds(3_600)
        )
        try await room.services.database.transaction(.inside(room.company)) { tx in
          try JobOutbox.write([job], company: room.company, traceID: nil, tx)
        }
      }
      let worker = UUID()
      try await enqueue()
      let job = try #require(try await room.claim(by: worker).first)
      #expect(try await room.queue.complete(job, worker: worker) { _ in })
      try await enqueue()
      #expect(try await room.claim(by: worker).isEmpty, "not again within the time")
      try await room.superuser.execute("update core.job_key set until = now() - interval '1 second'")
      try await enqueue()
      #expect(try await room.claim(by: worker).count == 1)
    }
  }
}
