import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@testable import Jobs

/// The partitions of old weeks: they are dropped once all their jobs are done, and no open job is lost.
@Suite(.timeLimit(.minutes(10))) struct QueueMaintenanceTests {
  /// Returns the Monday some weeks ago.
  private func monday(_ weeks: Int, _ room: JobRoom) async throws -> String {
    try await room.superuser.value(
      "select (date_trunc('week', now()) - \(weeks) * interval '1 week')::date::text",
      as: String.self
    )
  }

  private func open(_ week: String, _ room: JobRoom) async throws {
    try await room.superuser.transaction { tx in
      try tx.execute("set local role fettle_owner")
      try tx.execute("select core.open_job_week(\(week)::text::date)")
    }
  }

  /// Moves everything that was enqueued, claimed and acknowledged to a week.
  private func age(_ week: String, _ room: JobRoom) async throws {
    try await open(week, room)
    try await room.superuser.execute("update core.job_queued set week = \(week)::text::date")
    try await room.superuser.execute("update core.job_claim set week = \(week)::text::date")
    try await room.superuser.execute("update core.job_ack set week = \(week)::text::date")
    try await room.superuser.execute(
      "update core.job_count set claim_week = \(week)::text::date where claim_no > 0"
    )
  }

  private func weeks(_ room: JobRoom) async throws -> [String] {
    try await room.workers.rows("select w.week::text from core.job_weeks() w where w.queued", String.self)
  }

  private func count(_ table: Postgres.Identifier, _ room: JobRoom) async throws -> Int {
    try await room.superuser.value("select count(*) from core.\(identifier: table)", as: Int.self)
  }

  @Test func `a week whose jobs are done goes, and its lanes go on`() async throws {
    try await JobRoom.open { room in
      let worker = UUID()
      for _ in 0..<3 { try await room.enqueue() }
      let dead = try await room.enqueue()
      for job in try await room.claim(by: worker) {
        if job.id == dead {
          _ = try await room.queue.fail(job, worker: worker, error: "no", retryAfter: nil)
        } else {
          _ = try await room.queue.complete(job, worker: worker) { _ in }
        }
      }
      try await room.workers.execute("select core.count_jobs('0 seconds')")
      let old = try await monday(8, room)
      try await age(old, room)
      let maintenance = QueueMaintenance(room.workers)
      #expect(try await maintenance.run(dryRun: true).contains { $0.action == .drop && $0.subject == old })
      #expect(try await weeks(room).contains(old))
      #expect(try await maintenance.run().contains { $0.action == .drop && $0.subject == old })
      #expect(try await !weeks(room).contains(old))
      #expect(try await count("job_queued", room) == 0)
      #expect(try await count("job_claim", room) == 0)
      // The dead job still exists and can be retried; the lane starts again.
      try await JobAdministration(room.services).perform(.retry, room.operatorContext, id: dead)
      let fresh = try await room.enqueue()
      let claimed = try await room.claim(by: worker)
      #expect(Set(claimed.map(\.id)) == [dead, fresh])
      for job in claimed { #expect(try await room.queue.complete(job, worker: worker) { _ in }) }
      let line = try await JobCounts.read(company: nil, room.services.database).lines.first
      #expect(line?.queued.jobs ?? 0 == 0)
      #expect(line?.dead.jobs ?? 0 == 0)
      #expect(try await room.job(fresh)?.state == .succeeded)
    }
  }

  @Test func `expired keys are deleted, however many`() async throws {
    try await JobRoom.open { room in
      try await room.superuser.execute(
        """
        insert into core.job_key (company_id, kind, key, job_id, until, is_ended)
        select \(room.operatorContext.company.id), 'test.work', 'k' || i, gen_random_uuid(),
          now() + case when i = 0 then interval '1 hour' else interval '-1 hour' end, true
        from generate_series(0, 12000) i
        """
      )
      #expect(
        try await QueueMaintenance(room.workers).run().contains {
          $0.subject == "unique keys" && $0.note == "12000"
        }
      )
      #expect(try await count("job_key", room) == 1)
    }
  }

  @Test func `a week with a job that nobody has claimed stays, whole`() async throws {
    try await JobRoom.open { room in
      let worker = UUID()
      try await room.enqueue()
      for job in try await room.claim(by: worker) {
        _ = try await room.queue.complete(job, worker: worker) { _ in }
      }
      let open = try await room.enqueue("test.other")
      let old = try await monday(8, room)
      try await age(old, room)
      let steps = try await QueueMaintenance(room.workers).run()
      #expect(steps.contains { $0.action == .keep && $0.subject == old && $0.note.contains("test.other") })
      #expect(try await weeks(room).contains(old))
      let claimed = try await room.claim(by: worker, kinds: ["test.other"])
      #expect(claimed.map(\.id) == [open])
      #expect(
        try await QueueMaintenance(room.workers).run().contains {
          $0.action == .keep && $0.note.contains("running")
        }
      )
      for job in claimed { _ = try await room.queue.complete(job, worker: worker) { _ in } }
      #expect(
        try await QueueMaintenance(room.workers).run().contains { $0.action == .drop && $0.subject == old }
      )
    }
  }

  @Test func `claims outlive the queued rows that they may cover by a week`() async throws {
    try await JobRoom.open { room in
      let worker = UUID()
      let old = try await monday(8, room)
      let next = try await monday(7, room)
      // A job claimed on a Sunday and enqueued on the Monday after it; and an unclaimed one, which keeps that
      // week.
      try await room.enqueue()
      for job in try await room.claim(by: worker) {
        _ = try await room.queue.complete(job, worker: worker) { _ in }
      }
      try await room.enqueue("test.other")
      try await age(old, room)
      try await open(next, room)
      try await room.superuser.execute("update core.job_queued set week = \(next)::text::date")
      let steps = try await QueueMaintenance(room.workers).run()
      #expect(steps.contains { $0.action == .keep && $0.subject == next })
      #expect(try await count("job_claim", room) == 1)
      let claimed = try await room.claim(by: worker, kinds: ["test.job", "test.other"])
      #expect(claimed.map(\.kind) == ["test.other"])
    }
  }

  @Test func `a week with an open transaction is left for the next run, and nobody waits for it`()
    async throws
  {
    try await JobRoom.open { room in
      let old = try await monday(8, room)
      try await age(old, room)
      let (wrote, go) = (Latch(), Latch())
      // In any case: a waiting transaction would keep the room from closing.
      defer { go.note() }
      let slow = Task {
        try await room.superuser.transaction { tx in
          try tx.execute(
            """
            insert into core.job_queued (week, company_id, lane, id, queue, kind, priority, max_attempts, payload)
            values (\(old)::text::date, \(room.company), core.job_lane(\(room.company), 'default', 'test.job', 2),
                    gen_random_uuid(), 'default', 'test.job', 2, 5, '{}')
            """
          )
          wrote.note()
          go.wait()
        }
      }
      try await until { wrote.isNoted }
      #expect(
        try await QueueMaintenance(room.workers).run().contains {
          $0.subject == old && $0.note == "it is in use"
        }
      )
      go.note()
      try await slow.value
      #expect(
        try await QueueMaintenance(room.workers).run().contains { $0.action == .keep && $0.subject == old }
      )
      #expect(try await room.claim(by: UUID()).count == 1)
    }
  }

  @Test func `rows written before their week was opened move into it`() async throws {
    try await JobRoom.open { room in
      let week = try await monday(-1, room)
      let suffix = week.filter { $0 != "-" }
      try await room.superuser.execute(
        "drop table core.\(identifier: Postgres.Identifier(stringLiteral: "job_queued_\(suffix)"))"
      )
      let job = try await room.enqueue()
      try await room.superuser.execute("update core.job_queued set week = \(week)::text::date")
      #expect(try await count("job_queued_rest", room) == 1)
      #expect(try await QueueMaintenance(room.workers).run().contains { $0.action == .open })
      #expect(try await count("job_queued_rest", room) == 0)
      #expect(try await room.claim(by: UUID()).map(\.id) == [job])
    }
  }

  @Test func `old ended jobs are deleted and counted, newer ones are kept`() async throws {
    try await JobRoom.open { room in
      let ids = (0..<3).map { _ in UUID() }
      for (id, state, days) in [(ids[0], "dead", 100), (ids[1], "dead", 80), (ids[2], "cancelled", 100)] {
        try await room.superuser.execute(
          """
          insert into core.job_end
            (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, payload)
          values (\(room.company), \(id), 1, \(state), now() - \(days) * interval '1 day',
                  core.job_lane(\(room.company), 'default', 'test.job', 2), 'default', 'test.job', 2, 1, 5, '{}')
          """
        )
      }
      let steps = try await QueueMaintenance(room.workers).run().filter { $0.action == .forget }
      #expect(steps.map(\.subject) == ["cancelled", "dead"] && steps.allSatisfy { $0.note == "1" })
      #expect(try await room.job(ids[1])?.state == .dead)
    }
  }
}
