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
@Suite(.timeLimit(.minutes(60))) struct QueueMaintenanceTests {
  /// Returns the Monday some weeks ago.
  private func monday(_ weeks: Int, _ fixture: JobFixture) async throws -> String {
    try await fixture.superuser.value(
      "select (date_trunc('week', now()) - \(weeks) * interval '1 week')::date::text",
      as: String.self
    )
  }

  private func open(_ week: String, _ fixture: JobFixture) async throws {
    try await fixture.superuser.transaction { tx in
      try tx.execute("set local role fettle_owner")
      try tx.execute("select core.open_job_week(\(week)::text::date)")
    }
  }

  /// Moves everything that was enqueued, claimed and acknowledged to a week.
  private func age(_ week: String, _ fixture: JobFixture) async throws {
    try await open(week, fixture)
    try await fixture.superuser.execute("update core.job_queued set week = \(week)::text::date")
    try await fixture.superuser.execute("update core.job_claim set week = \(week)::text::date")
    try await fixture.superuser.execute("update core.job_ack set week = \(week)::text::date")
    try await fixture.superuser.execute(
      "update core.job_count set claim_week = \(week)::text::date where claim_no > 0"
    )
  }

  private func weeks(_ fixture: JobFixture) async throws -> [String] {
    try await fixture.workers.rows("select w.week::text from core.job_weeks() w where w.queued", String.self)
  }

  private func count(_ table: Postgres.Identifier, _ fixture: JobFixture) async throws -> Int {
    try await fixture.superuser.value("select count(*) from core.\(identifier: table)", as: Int.self)
  }

  @Test func `a week whose jobs are done goes, and its lanes go on`() async throws {
    try await JobFixture.open { fixture in
      let worker = UUID()
      for _ in 0..<3 { try await fixture.enqueue() }
      let dead = try await fixture.enqueue()
      for job in try await fixture.claim(by: worker) {
        if job.id == dead {
          _ = try await fixture.queue.fail(job, worker: worker, error: "no", retryAfter: nil)
        } else {
          _ = try await fixture.queue.complete(job, worker: worker) { _ in }
        }
      }
      try await fixture.workers.execute("select core.count_jobs('0 seconds')")
      let old = try await monday(8, fixture)
      try await age(old, fixture)
      let maintenance = QueueMaintenance(fixture.workers)
      #expect(try await maintenance.run(dryRun: true).contains { $0.action == .drop && $0.subject == old })
      #expect(try await weeks(fixture).contains(old))
      #expect(try await maintenance.run().contains { $0.action == .drop && $0.subject == old })
      #expect(try await !weeks(fixture).contains(old))
      #expect(try await count("job_queued", fixture) == 0)
      #expect(try await count("job_claim", fixture) == 0)
      // The dead job still exists and can be retried; the lane starts again.
      try await JobAdministration(fixture.services).perform(.retry, fixture.operatorContext, id: dead)
      let fresh = try await fixture.enqueue()
      let claimed = try await fixture.claim(by: worker)
      #expect(Set(claimed.map(\.id)) == [dead, fresh])
      for job in claimed { #expect(try await fixture.queue.complete(job, worker: worker) { _ in }) }
      let line = try await JobCounts.read(company: nil, fixture.services.database).lines.first
      #expect(line?.queued.jobs ?? 0 == 0)
      #expect(line?.dead.jobs ?? 0 == 0)
      #expect(try await fixture.job(fresh)?.state == .succeeded)
    }
  }

  @Test func `expired keys are deleted, however many`() async throws {
    try await JobFixture.open { fixture in
      try await fixture.superuser.execute(
        """
        insert into core.job_key (company_id, kind, key, job_id, until, is_ended)
        select \(fixture.operatorContext.company.id), 'test.work', 'k' || i, gen_random_uuid(),
          now() + case when i = 0 then interval '1 hour' else interval '-1 hour' end, true
        from generate_series(0, 12000) i
        """
      )
      #expect(
        try await QueueMaintenance(fixture.workers).run().contains {
          $0.subject == "unique keys" && $0.note == "12000"
        }
      )
      #expect(try await count("job_key", fixture) == 1)
    }
  }

  @Test func `a week with a job that nobody has claimed stays, whole`() async throws {
    try await JobFixture.open { fixture in
      let worker = UUID()
      try await fixture.enqueue()
      for job in try await fixture.claim(by: worker) {
        _ = try await fixture.queue.complete(job, worker: worker) { _ in }
      }
      let open = try await fixture.enqueue("test.other")
      let old = try await monday(8, fixture)
      try await age(old, fixture)
      let steps = try await QueueMaintenance(fixture.workers).run()
      #expect(steps.contains { $0.action == .keep && $0.subject == old && $0.note.contains("test.other") })
      #expect(try await weeks(fixture).contains(old))
      let claimed = try await fixture.claim(by: worker, kinds: ["test.other"])
      #expect(claimed.map(\.id) == [open])
      #expect(
        try await QueueMaintenance(fixture.workers).run().contains {
          $0.action == .keep && $0.note.contains("running")
        }
      )
      for job in claimed { _ = try await fixture.queue.complete(job, worker: worker) { _ in } }
      #expect(
        try await QueueMaintenance(fixture.workers).run().contains { $0.action == .drop && $0.subject == old }
      )
    }
  }

  @Test func `claims outlive the queued rows that they may cover by a week`() async throws {
    try await JobFixture.open { fixture in
      let worker = UUID()
      let old = try await monday(8, fixture)
      let next = try await monday(7, fixture)
      // A job claimed on a Sunday and enqueued on the Monday after it; and an unclaimed one, which keeps that
      // week.
      try await fixture.enqueue()
      for job in try await fixture.claim(by: worker) {
        _ = try await fixture.queue.complete(job, worker: worker) { _ in }
      }
      try await fixture.enqueue("test.other")
      try await age(old, fixture)
      try await open(next, fixture)
      try await fixture.superuser.execute("update core.job_queued set week = \(next)::text::date")
      let steps = try await QueueMaintenance(fixture.workers).run()
      #expect(steps.contains { $0.action == .keep && $0.subject == next })
      #expect(try await count("job_claim", fixture) == 1)
      let claimed = try await fixture.claim(by: worker, kinds: ["test.job", "test.other"])
      #expect(claimed.map(\.kind) == ["test.other"])
    }
  }

  @Test func `a week with an open transaction is left for the next run, and nobody waits for it`()
    async throws
  {
    try await JobFixture.open { fixture in
      let old = try await monday(8, fixture)
      try await age(old, fixture)
      let (wrote, go) = (Latch(), Latch())
      // In any case: a waiting transaction would keep the fixture from closing.
      defer { go.note() }
      let slow = Task {
        try await fixture.superuser.transaction { tx in
          try tx.execute(
            """
            insert into core.job_queued (week, company_id, lane, id, queue, kind, priority, max_attempts, payload)
            values (\(old)::text::date, \(fixture.company), core.job_lane(\(fixture.company), 'default', 'test.job', 2),
                    gen_random_uuid(), 'default', 'test.job', 2, 5, '{}')
            """
          )
          wrote.note()
          go.wait()
        }
      }
      try await until { wrote.isNoted }
      #expect(
        try await QueueMaintenance(fixture.workers).run().contains {
          $0.subject == old && $0.note == "it is in use"
        }
      )
      go.note()
      try await slow.value
      #expect(
        try await QueueMaintenance(fixture.workers).run().contains { $0.action == .keep && $0.subject == old }
      )
      #expect(try await fixture.claim(by: UUID()).count == 1)
    }
  }

  @Test func `rows written before their week was opened move into it`() async throws {
    try await JobFixture.open { fixture in
      let week = try await monday(-1, fixture)
      let suffix = week.filter { $0 != "-" }
      try await fixture.superuser.execute(
        "drop table core.\(identifier: Postgres.Identifier(stringLiteral: "job_queued_\(suffix)"))"
      )
      let job = try await fixture.enqueue()
      try await fixture.superuser.execute("update core.job_queued set week = \(week)::text::date")
      #expect(try await count("job_queued_rest", fixture) == 1)
      #expect(try await QueueMaintenance(fixture.workers).run().contains { $0.action == .open })
      #expect(try await count("job_queued_rest", fixture) == 0)
      #expect(try await fixture.claim(by: UUID()).map(\.id) == [job])
    }
  }

  @Test func `old ended jobs are deleted and counted, newer ones are kept`() async throws {
    try await JobFixture.open { fixture in
      let ids = (0..<3).map { _ in UUID() }
      for (id, state, days) in [(ids[0], "dead", 100), (ids[1], "dead", 80), (ids[2], "cancelled", 100)] {
        try await fixture.superuser.execute(
          """
          insert into core.job_end
            (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, payload)
          values (\(fixture.company), \(id), 1, \(state), now() - \(days) * interval '1 day',
                  core.job_lane(\(fixture.company), 'default', 'test.job', 2), 'default', 'test.job', 2, 1, 5, '{}')
          """
        )
      }
      let steps = try await QueueMaintenance(fixture.workers).run().filter { $0.action == .forget }
      #expect(steps.map(\.subject) == ["cancelled", "dead"] && steps.allSatisfy { $0.note == "1" })
      #expect(try await fixture.job(ids[1])?.state == .dead)
    }
  }
}
