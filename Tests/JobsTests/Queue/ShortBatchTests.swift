import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Short batches, claimed in one statement: a worker must get exactly the jobs of its claims, since
/// acknowledgement and rescue rely on the claims.
@Suite(.timeLimit(.minutes(60))) struct ShortBatchTests {
  private static let kinds = ["test.job", "test.other", "test.third"]

  private func enqueue(_ count: Int, _ fixture: JobFixture, kind: String = "test.job", _ tx: Transaction)
    throws
  {
    let jobs = (0..<count).map { _ in NewJob(id: UUID(), kind: kind, payload: JSON(text: "{}")) }
    try JobOutbox.write(jobs, company: fixture.company, traceID: nil, tx)
  }

  /// Enqueues a job in another week, in the current transaction.
  func enqueue(weeks: Int, kind: String = "test.job", _ fixture: JobFixture, _ tx: Transaction) throws -> UUID
  {
    let id = UUID()
    try tx.execute(
      """
      insert into core.job_queued (week, company_id, lane, id, queue, kind, priority, max_attempts, payload)
      select date_trunc('week', now())::date + 7 * \(Int32(weeks)), \(fixture.company),
        core.job_lane(\(fixture.company), 'default', \(kind), 2::smallint), \(id), 'default', \(kind), 2, 5, '{}'
      """
    )
    return id
  }

  /// Returns the jobs of each claim, as they are read from the claims later.
  private func said(_ fixture: JobFixture) async throws -> [Int64: [UUID]] {
    let rows = try await fixture.superuser.rows(
      """
      select c.no, j.id
      from core.job_claim c
      cross join lateral core.claimed_jobs(
        c.worker_id, array[c.week], array[c.company_id], array[c.lane], array[c.no]) with ordinality j
      order by c.no, j.ordinality
      """,
      Int64.self,
      UUID.self
    )
    return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
  }

  @Test func `a worker gets exactly the jobs of its claim, and each job is claimed once`() async throws {
    try await JobFixture.open { fixture in
      let queues = (0..<2).map { _ in (UUID(), JobQueue(fixture.workers)) }
      var given: [Int64: [UUID]] = [:]
      var late: (task: Task<Void, any Error>, go: Latch)?
      for step in 0..<60 {
        // Mostly one or two jobs of one kind or of all, sometimes more than one batch, and some that commit
        // late.
        let count = step % 7 == 3 ? 45 : 1 + step % 2
        try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
          for kind in Self.kinds.prefix(step % 4 == 1 ? 3 : 1) { try enqueue(count, fixture, kind: kind, tx) }
        }
        if step % 10 == 4 {
          let (enqueued, go) = (Latch(), Latch())
          let task = Task {
            try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
              try enqueue(3, fixture, tx)
              enqueued.note()
              go.wait()
            }
          }
          try await until { enqueued.isNoted }
          late = (task, go)
        }
        if step % 10 == 8, let slow = late {
          slow.go.note()
          try await slow.task.value
          late = nil
        }
        guard step % 5 != 0 else { continue }
        let (worker, queue) = queues[step % 2]
        let jobs = try await queue.claim(
          worker: worker,
          queues: ["default"],
          kinds: Self.kinds,
          limit: step % 7 == 3 ? 7 : 100,
          lease: .seconds(600)
        )
        for job in jobs { given[job.fence, default: []].append(job.id) }
      }
      for job in try await fixture.claim(by: UUID(), kinds: Self.kinds, limit: 1_000) {
        given[job.fence, default: []].append(job.id)
      }
      #expect(try await said(fixture) == given)
      let enqueued = try await fixture.superuser.rows("select p.id from core.job_queued p", UUID.self)
      #expect(given.values.reduce(0) { $0 + $1.count } == enqueued.count)
      #expect(Set(given.values.joined()) == Set(enqueued))
    }
  }

  @Test func `a lane that another worker has locked is busy, and its jobs are there afterwards`() async throws
  {
    try await JobFixture.open { fixture in
      let worker = UUID()
      try await fixture.enqueue()
      #expect(try await fixture.claim(by: worker).count == 1)
      try await fixture.enqueue()
      let (locked, go) = (Latch(), Latch())
      let other = Task {
        try await fixture.superuser.transaction { tx in
          try tx.execute(
            "select pg_advisory_xact_lock(hashtextextended(p.lane::text, 7450)) from core.job_queued p limit 1"
          )
          locked.note()
          go.wait()
        }
      }
      try await until { locked.isNoted }
      try await fixture.queue.poll(queues: ["default"], kinds: ["test.job"])
      let taken = try await fixture.queue.take(
        worker: worker,
        queues: ["default"],
        limit: 10,
        lease: .seconds(60)
      )
      #expect(taken.isBusy && taken.hasMore && taken.jobs.isEmpty)
      go.note()
      try await other.value
      #expect(try await fixture.claim(by: worker).count == 1)
    }
  }

  /// Claims with one of the two functions, and returns the number of the claim.
  private func take(_ function: String, worker: UUID, lane: UUID, _ fixture: JobFixture) async throws -> Int64
  {
    try await fixture.workers.value(
      """
      select max(c.no)
      from \(identifier: Identifier("core", function))(\(worker), 100, array[\(fixture.company)], array[\(lane)], array[1]) c
      """
    )
  }

  @Test(arguments: ["take_short_batches", "take_batches"])
  func `a worker that was declared lost takes nothing before it is registered again`(function: String)
    async throws
  {
    try await JobFixture.open { fixture in
      let worker = UUID()
      try await fixture.enqueue()
      let first = try #require(try await fixture.claim(by: worker).first)
      try await fixture.enqueue()
      try await fixture.expire(worker)
      #expect(try await fixture.queue.rescue() == 1)
      await #expect(throws: PostgresError.self) {
        _ = try await take(function, worker: worker, lane: first.lane, fixture)
      }
      #expect(try await fixture.claim(by: worker, limit: 100).count == 2)
    }
  }

  @Test(arguments: ["take_short_batches", "take_batches"])
  func `the number of a claim that a crash lost is not reused`(function: String) async throws {
    try await JobFixture.open { fixture in
      let worker = UUID()
      try await fixture.enqueue()
      let first = try #require(try await fixture.claim(by: worker).first)
      for _ in 0..<2 { try await fixture.enqueue() }
      try await fixture.superuser.execute("delete from core.job_claim")
      let second = try await take(function, worker: worker, lane: first.lane, fixture)
      try await fixture.superuser.execute("delete from core.job_claim")
      let third = try await take(function, worker: worker, lane: first.lane, fixture)
      #expect(first.fence < second && second < third)
    }
  }

  @Test func `a job that has to be alone is claimed alone, and a cancelled one is not claimed`() async throws
  {
    try await JobFixture.open { fixture in
      let worker = UUID()
      try await fixture.enqueue()
      for job in try await fixture.claim(by: worker) {
        _ = try await fixture.queue.complete(job, worker: worker) { _ in }
      }
      for _ in 0..<4 { try await fixture.enqueue() }
      try await fixture.superuser.execute(
        """
        update core.job_queued set is_alone = true
        where id = (select p.id from core.job_queued p order by p.xid offset 2 limit 1)
        """
      )
      func take() async throws -> [ClaimedJob] {
        try await fixture.queue.take(worker: worker, queues: ["default"], limit: 10, lease: .seconds(60)).jobs
      }
      try await fixture.queue.poll(queues: ["default"], kinds: ["test.job"])
      #expect(try await take().count == 1)
      #expect(try await take().map(\.isAlone) == [true])
      #expect(try await take().count == 2)
      #expect(try await take().isEmpty)
      let (cancelled, other) = (try await fixture.enqueue(), try await fixture.enqueue())
      try await JobAdministration(fixture.services).perform(.cancel, fixture.operatorContext, id: cancelled)
      #expect(try await fixture.claim(by: worker).map(\.id) == [other])
    }
  }

  @Test func `an emptied lane is not polled again`() async throws {
    try await JobFixture.open { fixture in
      for count in [1, 5, 20] {
        for _ in 0..<count { try await fixture.enqueue() }
        try await fixture.queue.poll(queues: ["default"], kinds: ["test.job"])
        let taken = try await fixture.queue.take(
          worker: fixture.company,
          queues: ["default"],
          limit: 1_000,
          lease: .seconds(60)
        )
        #expect(taken.jobs.count == count && !taken.hasMore)
      }
    }
  }

  @Test func `two workers do not follow each other from lane to lane`() async throws {
    try await JobFixture.open { fixture in
      let kinds = (0..<20).map { "test.kind_\($0)" }
      for kind in kinds { try await fixture.enqueue(kind) }
      let queues = [JobQueue(fixture.workers), JobQueue(fixture.workers)]
      for queue in queues { try await queue.poll(queues: ["default"], kinds: Set(kinds)) }
      for queue in queues {
        // With the same lanes, the second worker would get nothing. The probability of drawing the same 8 of
        // 20 lanes is 1 in 125,970.
        let taken = try await queue.take(worker: UUID(), queues: ["default"], limit: 8, lease: .seconds(60))
        #expect(!taken.jobs.isEmpty)
      }
    }
  }
}
