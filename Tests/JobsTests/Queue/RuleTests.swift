import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

@testable import Jobs

/// The tokens that workers get of the limits that operators set.
@Suite(.timeLimit(.minutes(60))) struct RuleTests {
  private let every = JobRules.everyCompany

  private func limit(
    _ fixture: JobFixture,
    company: UUID,
    each: Bool = false,
    running: Int32? = nil,
    rate: (Int32, String)? = nil
  ) async throws -> JobRules.Limit {
    let id = try await fixture.services.database.value(
      """
      select core.limit_jobs(\(company), null, 'test.job', \(each), \(nullable: running), \(nullable: rate?.0),
        \(nullable: rate?.1)::interval, 'tester')
      """,
      as: UUID.self
    )
    return try #require(try await JobRules.read(fixture.workers).limits.first { $0.id == id })
  }

  private func register(_ fixture: JobFixture, _ count: Int) async throws -> [UUID] {
    let ids = (0..<count).map { _ in UUID() }
    for id in ids {
      try await WorkerRegister.add(id, queues: ["default"], lease: .seconds(600), fixture.workers)
    }
    return ids
  }

  private func key(_ limit: JobRules.Limit, _ company: UUID) throws -> JobRules.TokenKey {
    let rules = JobRules(limits: [limit])
    return try #require(rules.limits(company: company, queue: "default", kind: "test.job").first?.key)
  }

  @Test func `workers that want more than a limit has get no more than it has together`() async throws {
    try await JobFixture.open { fixture in
      let workers = try await register(fixture, 6)
      let key = try key(try await limit(fixture, company: every, running: 10), fixture.company)
      let granted = try await withThrowingTaskGroup(of: Int.self) { group in
        for worker in workers {
          group.addTask { try await JobRules.lease(3, of: key, worker: worker, fixture.workers) }
        }
        return try await group.reduce(0, +)
      }
      #expect(granted == 10)
    }
  }

  @Test func `returned tokens go to other workers, and used ones are not taken away`() async throws {
    try await JobFixture.open { fixture in
      let workers = try await register(fixture, 2)
      let key = try key(try await limit(fixture, company: every, running: 4), fixture.company)
      #expect(try await JobRules.lease(4, of: key, worker: workers[0], fixture.workers) == 4)
      #expect(try await JobRules.lease(2, of: key, worker: workers[1], fixture.workers) == 0)
      #expect(try await JobRules.lease(3, of: key, worker: workers[0], fixture.workers) == 3)
      #expect(try await JobRules.lease(2, of: key, worker: workers[1], fixture.workers) == 1)
      // A limit below the number of leased tokens: no worker gets more, and running jobs continue.
      _ = try await limit(fixture, company: every, running: 2)
      #expect(try await JobRules.lease(5, of: key, worker: workers[0], fixture.workers) == 3)
      #expect(try await JobRules.lease(0, of: key, worker: workers[0], fixture.workers) == 0)
      #expect(try await JobRules.lease(5, of: key, worker: workers[1], fixture.workers) == 2)
    }
  }

  @Test func `a worker claims nothing on tokens that it is returning`() async throws {
    let database = try await TestDatabase.make()
    var parameters = database.parameters
    parameters["user"] = "fettle_worker"
    let (asks, go) = (Latch(), Latch())
    let isSlow = Atomic(false)
    var configuration = Database.Configuration(parameters: parameters, poolSize: 4)
    configuration.onRoundTrip = { statements in
      guard isSlow.load(ordering: .acquiring),
        statements.contains(where: { $0.text.contains("lease_tokens") })
      else { return }
      isSlow.store(false, ordering: .releasing)
      asks.note()
      go.wait()
    }
    try await JobFixture.open(in: database, workers: Database(configuration)) { fixture in
      defer { go.note() }
      _ = try await limit(fixture, company: every, running: 2)
      for _ in 0..<6 { try await fixture.enqueue() }
      let workers = try await register(fixture, 2)
      let queues = [JobQueue(fixture.workers), JobQueue(fixture.workers)]
      for queue in queues { try await queue.loadRules() }
      let claim = { @Sendable (n: Int) in
        try await queues[n].claim(
          worker: workers[n],
          queues: ["default"],
          kinds: ["test.job"],
          limit: 2,
          lease: .seconds(600)
        ).count
      }
      let first = try await queues[0].claim(
        worker: workers[0],
        queues: ["default"],
        kinds: ["test.job"],
        limit: 2,
        lease: .seconds(600)
      )
      #expect(first.count == 2)
      for job in first { _ = queues[0].finish(job, worker: workers[0]) }
      isSlow.store(true, ordering: .releasing)
      async let heartbeat: Void = queues[0].heartbeat(worker: workers[0], lease: .seconds(600))
      try await until { asks.isNoted }
      async let mine = claim(0)
      try await Task.sleep(for: .milliseconds(200))
      go.note()
      try await heartbeat
      let theirs = try await claim(1)
      #expect(try await mine + theirs == 2)
    }
  }

  @Test func `the tokens of a removed worker are free`() async throws {
    try await JobFixture.open { fixture in
      let workers = try await register(fixture, 2)
      let key = try key(try await limit(fixture, company: every, running: 1), fixture.company)
      #expect(try await JobRules.lease(1, of: key, worker: workers[0], fixture.workers) == 1)
      #expect(try await JobRules.lease(1, of: key, worker: workers[1], fixture.workers) == 0)
      await WorkerRegister.remove(workers[0], fixture.workers)
      #expect(try await JobRules.lease(1, of: key, worker: workers[1], fixture.workers) == 1)
      await #expect(throws: PostgresError.self) {
        _ = try await JobRules.lease(1, of: key, worker: workers[0], fixture.workers)
      }
    }
  }

  @Test func `a limit for each company is one for each`() async throws {
    try await JobFixture.open { fixture in
      let workers = try await register(fixture, 2)
      let limit = try await limit(fixture, company: every, each: true, running: 1)
      let (mine, theirs) = (try key(limit, fixture.company), try key(limit, UUID()))
      #expect(try await JobRules.lease(1, of: mine, worker: workers[0], fixture.workers) == 1)
      #expect(try await JobRules.lease(1, of: theirs, worker: workers[1], fixture.workers) == 1)
      #expect(try await JobRules.lease(1, of: mine, worker: workers[1], fixture.workers) == 0)
    }
  }

  @Test func `a rate grants the available tokens, and reports when there are more`() async throws {
    try await JobFixture.open { fixture in
      let key = try key(
        try await limit(fixture, company: fixture.company, rate: (3, "30 days")),
        fixture.company
      )
      #expect(try await JobRules.take(2, of: key, fixture.workers).granted == 2)
      let (granted, wait) = try await JobRules.take(5, of: key, fixture.workers)
      #expect(granted == 1)
      #expect(wait > .seconds(9 * 86_400) && wait <= .seconds(10 * 86_400))
      #expect(try await JobRules.take(-1, of: key, fixture.workers).granted == -1)
      #expect(try await JobRules.take(5, of: key, fixture.workers).granted == 1)
      // After ten days and a minute, by the database's clock, there is another one.
      try await fixture.superuser.execute(
        "update core.job_rate set at = at - interval '10 days 1 minute' where company_id = \(fixture.company)"
      )
      #expect(try await JobRules.take(5, of: key, fixture.workers).granted == 1)
    }
  }

  @Test func `a pause exists once, for each worker, until it is removed`() async throws {
    try await JobFixture.open { fixture in
      let database = fixture.services.database
      #expect(
        try await database.value(
          "select core.pause_jobs(\(every), 'push', null, 'repairs', 'tester')",
          as: Bool.self
        )
      )
      #expect(
        try await !database.value(
          "select core.pause_jobs(\(every), 'push', null, null, 'tester')",
          as: Bool.self
        )
      )
      let rules = try await JobRules.read(fixture.workers)
      #expect(rules.isPaused(company: fixture.company, queue: "push", kind: "a.b"))
      #expect(!rules.isPaused(company: fixture.company, queue: "default", kind: "a.b"))
      #expect(
        try await database.value("select core.resume_jobs(\(every), 'push', null)", as: Bool.self)
      )
      #expect(try await JobRules.read(fixture.workers) == JobRules())
    }
  }
}
