import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import TestTools
import Testing

@testable import Jobs

/// The counts of the queue: they are correct, and reading them does not read the queue.
@Suite(.timeLimit(.minutes(60))) struct CountsTests {
  /// A job as in the view, and as counted: one that was enqueued for another attempt is ready.
  private struct Standing {
    let kind: String
    let state: JobState
    let counted: String
  }

  private func states(_ fixture: JobFixture) async throws -> [UUID: Standing] {
    let rows = try await fixture.superuser.rows(
      """
      select j.id, j.kind, j.state, case
        when j.state = 'retrying' and not exists (
          select from core.job_deferred w where w.company_id = j.company_id and w.id = j.id) then 'queued'
        else j.state end
      from core.job j where j.company_id = \(fixture.company)
      """,
      UUID.self,
      String.self,
      JobState.self,
      String.self
    )
    return Dictionary(
      uniqueKeysWithValues: rows.map { ($0.0, Standing(kind: $0.1, state: $0.2, counted: $0.3)) }
    )
  }

  /// Returns all jobs of a list, read in pages.
  private func listed(_ fixture: JobFixture, _ filter: JobFilter, page: Int) async throws -> [JobRow] {
    let administration = JobAdministration(fixture.services)
    var place: JobPlace? = JobPlace()
    var jobs: [JobRow] = []
    while let here = place {
      let page = try await administration.all(filter, after: try JobPlace(parsing: here.text), limit: page)
      jobs += page.jobs
      place = page.next
    }
    return jobs
  }

  private func agree(_ fixture: JobFixture, _ seed: UInt64) async throws {
    let actual = try await states(fixture)
    try await fixture.workers.execute("select core.count_jobs('0 seconds')")
    let counts = try await JobCounts.read(company: nil, fixture.services.database)
    for kind in Set(actual.values.map(\.kind)) {
      let line = try #require(counts.lines.first { $0.kind == kind })
      func count(_ state: String) -> Int { actual.values.count { $0.kind == kind && $0.counted == state } }
      #expect(line.queued.jobs + line.waiting.jobs == count("queued"), "queued \(kind), seed \(seed)")
      #expect(line.running.jobs == count("running"), "running \(kind), seed \(seed)")
      #expect(line.retrying.jobs == count("retrying"), "retrying \(kind), seed \(seed)")
      #expect(line.dead.jobs == count("dead"), "dead \(kind), seed \(seed)")
      #expect(line.cancelled.jobs == count("cancelled"), "cancelled \(kind), seed \(seed)")
    }
    let all = try await listed(fixture, JobFilter(), page: 7)
    #expect(all.count == Set(all.map(\.id)).count, "each once, seed \(seed)")
    // Jobs cancelled before they were enqueued are listed by their state alone.
    let enqueued = try await fixture.superuser.rows("select p.id from core.job_queued p", UUID.self)
    let shown = actual.filter { enqueued.contains($0.key) || $0.value.state != .cancelled }.map(\.key)
    #expect(Set(all.map(\.id)) == Set(shown), "seed \(seed)")
    for state in JobState.allCases {
      let jobs = try await listed(fixture, JobFilter(state: state, kind: "test.b"), page: 3)
      let expected = actual.filter { $0.value.kind == "test.b" && $0.value.state == state }.map(
        \.key
      )
      #expect(Set(jobs.map(\.id)) == Set(expected), "\(state), seed \(seed)")
      #expect(jobs.count == expected.count, "\(state) twice, seed \(seed)")
      #expect(jobs.allSatisfy { $0.state == state })
    }
  }

  @Test func `the counts and the lists agree with the jobs in every state`() async throws {
    try await JobFixture.open { fixture in
      let seed = UInt64.random(in: 1...9_999)
      var random = SeededRandom(seed: seed)
      let administration = JobAdministration(fixture.services)
      let worker = UUID()
      for _ in 0..<4 {
        for number in 0..<Int.random(in: 5...15, using: &random) {
          let later = Int.random(in: 0...5, using: &random) == 0
          try await fixture.enqueue(
            number.isMultiple(of: 2) ? "test.a" : "test.b",
            runAt: later ? Instant(microseconds: 4_000_000_000_000_000) : nil,
            maxAttempts: Int.random(in: 1...2, using: &random)
          )
        }
        let jobs = try await fixture.claim(
          by: worker,
          kinds: ["test.a", "test.b"],
          limit: Int.random(in: 3...12, using: &random)
        )
        for job in jobs {
          switch Int.random(in: 0...4, using: &random) {
          case 0: break
          case 1:
            _ = try await fixture.queue.fail(job, worker: worker, error: "no", retryAfter: .seconds(3_600))
          case 2: _ = try await fixture.queue.fail(job, worker: worker, error: "no", retryAfter: nil)
          default: _ = try await fixture.queue.complete(job, worker: worker) { _ in }
          }
        }
        try await agree(fixture, seed)
        for (id, job) in try await states(fixture).sorted(by: { $0.key.text < $1.key.text }) {
          guard Int.random(in: 0...3, using: &random) == 0 else { continue }
          switch job.state {
          case .queued, .retrying:
            let snoozes = Bool.random(using: &random)
            let until = Instant(microseconds: 4_000_000_000_000_000)
            try await administration.perform(
              snoozes ? .snooze(until: until) : .cancel,
              fixture.operatorContext,
              id: id
            )
          case .dead:
            try await administration.perform(
              Bool.random(using: &random) ? .retry : .discard,
              fixture.operatorContext,
              id: id
            )
          default: break
          }
        }
        try await agree(fixture, seed)
      }
      try await fixture.expire(worker)
      _ = try await fixture.queue.rescue()
      try await agree(fixture, seed)
    }
  }

  /// Queued rows are read in chunks of four pages; the list continues behind them.
  @Test(arguments: [JobState.queued, .succeeded])
  func `a list ends, however many queued rows of a lane it reads in vain`(state: JobState) async throws {
    try await JobFixture.open { fixture in
      let worker = UUID()
      for count in [4, 5, 8] {
        let kind = "test.kind\(count)"
        for _ in 0..<count { try await fixture.enqueue(kind) }
        var number = 0
        while case let jobs = try await fixture.claim(by: worker, kinds: [kind]), !jobs.isEmpty {
          for job in jobs {
            if state == .succeeded && number == count / 2 {
              _ = try await fixture.queue.complete(job, worker: worker) { _ in }
            } else {
              let again: Duration? = state == .queued ? .seconds(3_600) : nil
              _ = try await fixture.queue.fail(job, worker: worker, error: "no", retryAfter: again)
            }
            number += 1
          }
        }
        if state == .queued {
          try await fixture.hurry()
          try await fixture.workers.execute("select core.enqueue_due_jobs(100)")
        }
        for page in 1...2 {
          let found = try await listed(fixture, JobFilter(state: state, kind: kind), page: page)
          #expect(found.count == (state == .succeeded ? 1 : 0), "\(count) jobs, pages of \(page)")
        }
      }
    }
  }

  @Test func `a job that was enqueued for another attempt is retrying, in every list as in the view`()
    async throws
  {
    try await JobFixture.open { fixture in
      let administration = JobAdministration(fixture.services)
      let worker = UUID()
      let id = try await fixture.enqueue("test.again")
      for _ in 0..<3 { try await fixture.enqueue("test.again") }
      for job in try await fixture.claim(by: worker, kinds: ["test.again"]) {
        guard job.id == id else {
          _ = try await fixture.queue.complete(job, worker: worker) { _ in }
          continue
        }
        _ = try await fixture.queue.fail(job, worker: worker, error: "no", retryAfter: .seconds(3_600))
      }
      try await fixture.hurry()
      try await fixture.workers.execute("select core.enqueue_due_jobs(10)")
      let fresh = try await fixture.enqueue("test.again")
      #expect(try await states(fixture)[id]?.state == .retrying)
      #expect(try await fixture.job(id)?.state == .retrying)
      let retrying = try await listed(fixture, JobFilter(state: .retrying, kind: "test.again"), page: 2)
      #expect(retrying.map(\.id) == [id] && retrying.first?.state == .retrying)
      #expect(try await listed(fixture, JobFilter(state: .queued), page: 2).map(\.id).contains(id) == false)
      #expect(try await listed(fixture, JobFilter(state: .queued), page: 2).map(\.id).contains(fresh))
      let any = try await listed(fixture, JobFilter(kind: "test.again"), page: 2)
      #expect(any.first { $0.id == id }?.state == .retrying)
      // Retrying a job that is about to run is no error.
      try await administration.perform(.retry, fixture.operatorContext, id: id)
      try await administration.perform(.cancel, fixture.operatorContext, id: id)
      #expect(try await fixture.job(id)?.state == .cancelled)
      #expect(try await listed(fixture, JobFilter(state: .retrying), page: 2).isEmpty)
    }
  }

  @Test func `jobs that are committed late are counted once, and listed`() async throws {
    try await JobFixture.open { fixture in
      let (enqueued, go) = (Latch(), Latch())
      let late = UUID()
      let slow = Task {
        try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
          let job = NewJob(id: late, kind: "test.job", payload: JSON(text: "{}"))
          try JobOutbox.write([job], company: fixture.company, traceID: nil, tx)
          enqueued.note()
          go.wait()
        }
      }
      try await until { enqueued.isNoted }
      try await fixture.enqueue()
      func queued() async throws -> Int? {
        try await fixture.workers.execute("select core.count_jobs('0 seconds')")
        return try await JobCounts.read(company: nil, fixture.services.database).lines.first?.queued.jobs
      }
      #expect(try await queued() == 1)
      #expect(try await fixture.claim(by: UUID(), limit: 1).count == 1)
      #expect(try await queued() ?? 0 == 0)
      go.note()
      try await slow.value
      #expect(try await queued() == 1)
      #expect(try await listed(fixture, JobFilter(state: .queued), page: 5).map(\.id) == [late])
      #expect(try await queued() == 1)
    }
  }

  @Test(arguments: [JobState?.none] + JobState.allCases)
  func `the first page reads as much as it shows, not as much as there is`(state: JobState?) async throws {
    try await JobFixture.open { fixture in
      try await plant(20_000, fixture)
      for kind in [nil, "test.rare"] {
        for company in [nil, fixture.company] {
          let read = try await fixture.superuser.transaction { tx in
            // Misleading statistics, which are usual for a queue.
            let filter = JobFilter(state: state, kind: kind)
            let page = try JobListing.page(company: company, filter, after: JobPlace(), limit: 20, tx)
            #expect(!page.jobs.isEmpty || state == .cancelled || kind != nil)
            return try tx.value(
              """
              select coalesce(sum(t.seq_tup_read + t.idx_tup_fetch), 0)::bigint
              from pg_stat_xact_user_tables t where t.relname like 'job\\_%'
              """,
              as: Int.self
            )
          }
          #expect(
            read < 3_000,
            "\(String(describing: state)) \(kind ?? "any") \(company == nil ? "all" : "one")"
          )
        }
      }
    }
  }

  /// Inserts many jobs of one kind and few of another, in all states but cancelled.
  private func plant(_ count: Int, _ fixture: JobFixture) async throws {
    let company = fixture.company
    try await fixture.superuser.transaction { tx in
      for kind in ["test.job", "test.rare"] {
        try tx.execute(
          """
          insert into core.job_queued (company_id, lane, id, queue, kind, priority, max_attempts, payload)
          select \(company), core.job_lane(\(company), 'default', \(kind), 2), gen_random_uuid(), 'default', \(kind), 2,
            5, '{}'
          from generate_series(1, \(kind == "test.rare" ? 10 : count))
          """
        )
      }
      for (kind, state) in [("test.job", "dead"), ("test.rare", "dead")] {
        try tx.execute(
          """
          insert into core.job_end
            (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, payload)
          select \(company), gen_random_uuid(), 1, \(state), now() - n * interval '1 second',
            core.job_lane(\(company), 'default', \(kind), 2), 'default', \(kind), 2, 1, 5, '{}'
          from generate_series(1, \(kind == "test.rare" ? 10 : count)) n
          """
        )
        try tx.execute(
          """
          insert into core.job_deferred
            (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, created_at, payload)
          select \(company), gen_random_uuid(), 1 + n % 2, now() + interval '1 day',
            core.job_lane(\(company), 'default', \(kind), 2), 'default', \(kind), 2, n % 2, 5,
            now() - n * interval '1 second', '{}'
          from generate_series(1, \(kind == "test.rare" ? 10 : count)) n
          """
        )
      }
    }
    let worker = UUID()
    let jobs = try await fixture.claim(by: worker, kinds: ["test.job"], limit: 200)
    for job in jobs { _ = try await fixture.queue.complete(job, worker: worker) { _ in } }
    _ = try await fixture.claim(by: worker, kinds: ["test.job", "test.rare"], limit: 6)
    try await fixture.workers.execute("select core.count_jobs('0 seconds')")
  }
}
