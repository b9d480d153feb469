import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@testable import Jobs

/// Counts from claims alone, and lists in which most rows do not match.
@Suite(.timeLimit(.minutes(60))) struct CountingTests {
  private func countJobs(_ fixture: JobFixture) async throws {
    try await fixture.workers.execute("select core.count_jobs('0 seconds')")
  }

  private func queued(_ fixture: JobFixture) async throws -> Int {
    try await countJobs(fixture)
    return try await JobCounts.read(company: nil, fixture.services.database).lines.first?.queued.jobs ?? 0
  }

  @Test func `jobs are listed and counted in a session that may not write`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      try await countJobs(fixture)
      _ = try await fixture.enqueue()
      var parameters = fixture.database.parameters
      parameters["user"] = "fettle_admin"
      parameters["options"] = "-c default_transaction_read_only=on"
      let reader = Database(Database.Configuration(parameters: parameters, poolSize: 2))
      try await #expect(
        reader.value("select current_setting('transaction_read_only')", as: String.self) == "on"
      )
      // The last count, which this session cannot bring up to date.
      #expect(try await JobCounts.read(company: nil, reader).total(\.queued).jobs == 1)
      try await JobListing.bringCountsForward(for: JobFilter(), reader)
      let listed = try await reader.transaction(.inside(fixture.company, readOnly: true)) { tx in
        try JobListing.page(company: fixture.company, JobFilter(), after: JobPlace(), limit: 10, tx)
      }
      #expect(listed.jobs.contains { $0.id == id })
      await reader.close()
    }
  }

  @Test func `a claim that is committed long after it was made is counted`() async throws {
    try await JobFixture.open { fixture in
      for _ in 0..<4 { try await fixture.enqueue() }
      let worker = UUID()
      // Registers the worker.
      #expect(try await fixture.claim(by: worker, limit: 1).count == 1)
      #expect(try await queued(fixture) == 3)
      let (claimed, go) = (Latch(), Latch())
      let slow = Task {
        defer { claimed.note() }
        try await fixture.superuser.transaction { tx in
          try tx.execute(
            """
            select from core.take_batches(\(worker), 77, array[\(fixture.company)]::uuid[],
              array[core.job_lane(\(fixture.company), 'default', 'test.job', 2)], array[3])
            """
          )
          claimed.note()
          go.wait()
        }
      }
      try await until { claimed.isNoted }
      // Several counts are made while the claim is not visible.
      for _ in 0..<3 { #expect(try await queued(fixture) == 3) }
      go.note()
      try await slow.value
      #expect(try await queued(fixture) == 0)
    }
  }

  @Test func `a claim that a clock set back made look old is counted when all lanes are scanned`()
    async throws
  {
    try await JobFixture.open { fixture in
      for _ in 0..<2 { try await fixture.enqueue() }
      #expect(try await queued(fixture) == 2)
      #expect(try await fixture.claim(by: UUID(), limit: 1).count == 1)
      try await fixture.superuser.execute("update core.job_claim set at = at - interval '30 minutes'")
      // Counting rarely goes back so far; it does when a transaction of another database stays open for long.
      try await countJobs(fixture)
      try await fixture.superuser.execute(
        "update core.job_count_mark set scanned_at = scanned_at - interval '2 hours'"
      )
      #expect(try await queued(fixture) == 1)
    }
  }

  @Test(arguments: [1, 2, 7, 50])
  func `many failed jobs do not hide succeeded or waiting jobs behind them`(page: Int) async throws {
    try await JobFixture.open { fixture in
      let worker = UUID()
      let kinds = ["test.a", "test.b"]
      var done: [UUID] = []
      var waiting: [UUID] = []
      func run(_ count: Int, fails: Bool, retryAfter: Duration? = nil) async throws {
        for number in 0..<count { try await fixture.enqueue(kinds[number % 2]) }
        for job in try await fixture.claim(by: worker, kinds: kinds) {
          if fails {
            _ = try await fixture.queue.fail(job, worker: worker, error: "no", retryAfter: retryAfter)
          } else {
            _ = try await fixture.queue.complete(job, worker: worker) { _ in }
            done.append(job.id)
          }
        }
      }
      try await run(5, fails: false)
      try await run(40, fails: true)
      try await run(2, fails: false)
      for _ in 0..<4 { try await run(10, fails: true) }
      // Jobs of a claim that ends with a failure, and of one that is acknowledged later than its jobs ended.
      for isWritten in [true, false] {
        for _ in 0..<3 { try await fixture.enqueue(kinds[0]) }
        let mixed = try await fixture.claim(by: worker, kinds: kinds)
        if isWritten {
          #expect(try await fixture.queue.complete(mixed[0], worker: worker) { _ in })
        } else {
          _ = fixture.queue.finish(mixed[0], worker: worker)
        }
        done.append(mixed[0].id)
        for job in mixed.dropFirst() {
          #expect(try await fixture.queue.fail(job, worker: worker, error: "no", retryAfter: nil))
        }
        #expect(try await fixture.queue.acknowledge(worker: worker) == 0)
      }
      for _ in 0..<4 { try await run(10, fails: true) }
      // A job of an open claim, behind others without a success.
      for number in 0..<3 { try await fixture.enqueue(kinds[number % 2]) }
      let open = try await fixture.claim(by: worker, kinds: kinds)
      #expect(try await fixture.queue.complete(open[0], worker: worker) { _ in })
      done.append(open[0].id)
      // Jobs that fail and wait for another attempt.
      for number in 0..<3 { waiting.append(try await fixture.enqueue(kinds[number % 2])) }
      try await run(0, fails: true, retryAfter: .seconds(3_600))
      let administration = JobAdministration(fixture.services)
      func listed(_ state: JobState) async throws -> [UUID] {
        var place: JobPlace? = JobPlace()
        var ids: [UUID] = []
        while let here = place {
          let page = try await administration.all(JobFilter(state: state), after: here, limit: page)
          ids += page.jobs.map(\.id)
          place = page.next
        }
        return ids
      }
      #expect(try await listed(.succeeded).count == done.count)
      #expect(Set(try await listed(.succeeded)) == Set(done))
      #expect(Set(try await listed(.retrying)) == Set(waiting))
      #expect(Set(try await listed(.running)) == Set(open.dropFirst().map(\.id)))
      #expect(try await listed(.queued).isEmpty)
      try await fixture.hurry()
      try await fixture.workers.execute("select core.enqueue_due_jobs(100)")
      let fresh = try await fixture.enqueue("test.a")
      try await fixture.workers.execute("select core.count_jobs('0 seconds')")
      #expect(try await listed(.queued) == [fresh])
      #expect(Set(try await listed(.retrying)) == Set(waiting))
    }
  }
}
