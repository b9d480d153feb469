internal import Apps
package import Domain
package import Engine
package import FettleTesting
package import FoundationEssentials
package import Jobs
internal import Logging
package import Postgres
package import Secrets
package import Store
package import TestDatabase

/// A ``TestQueue`` for the tests of the queue itself, with their own workers and with leases that can expire.
package struct JobFixture: Sendable {
  package let test: TestQueue
  package let queue: JobQueue

  /// The company's database.
  package let database: TestDatabase

  /// The operator's services.
  package var services: Services { test.services }
  /// As `fettle_worker`.
  package var workers: Database { test.database }
  /// The superuser, who bypasses all policies.
  package var superuser: Database { test.superuser }
  /// The operator's acting context in the company.
  package var operatorContext: ActingContext { test.operatorContext }
  package var company: UUID { test.company }

  private init(_ database: TestDatabase, _ test: TestQueue) {
    self.database = database
    self.test = test
    queue = JobQueue(test.database)
  }

  /// Opens the logins of a company in an existing database.
  package init(
    _ database: TestDatabase,
    operatorContext: ActingContext,
    keys: @escaping @Sendable () throws -> Keys
  ) {
    self.init(
      database,
      TestQueue(in: database, operatorContext: operatorContext, keys: keys, rules: CompiledApps.rules)
    )
  }

  /// Opens a fixture for one test, and closes it afterwards.
  ///
  /// - Parameters:
  ///   - given: the database; nil for a new one on the shared server.
  ///   - workers: the workers' connection; nil for a direct one.
  package static func open<Value>(
    in given: TestDatabase? = nil,
    workers: Database? = nil,
    _ body: (JobFixture) async throws -> Value
  ) async throws -> Value {
    guard let given else {
      return try await TestDatabase.withOwn { try await open(in: $0, workers: workers, body) }
    }
    return try await TestQueue.open(in: given, workers: workers, rules: CompiledApps.rules) { test in
      try await body(JobFixture(given, test))
    }
  }

  /// Closes all its connections.
  package func close() async { await test.close() }

  /// Enqueues a job and returns its id.
  @discardableResult
  package func enqueue(
    _ kind: String = "test.job",
    queue: String = "default",
    priority: Int = 2,
    runAt: Instant? = nil,
    maxAttempts: Int = 5,
    payload: JSON = JSON(text: "{}")
  ) async throws -> UUID {
    let job = NewJob(
      id: services.ids.next(),
      kind: kind,
      queue: queue,
      priority: priority,
      runAt: runAt,
      maxAttempts: maxAttempts,
      payload: payload
    )
    try await test.enqueue([job])
    return job.id
  }

  /// Claims due jobs; a negative lease has expired at once.
  package func claim(
    by worker: UUID,
    kinds: [String] = ["test.job"],
    limit: Int = 100,
    lease: Duration = .seconds(60)
  ) async throws -> [ClaimedJob] {
    let jobs = try await queue.claim(
      worker: worker,
      queues: ["default"],
      kinds: kinds,
      limit: limit,
      lease: lease > .zero ? lease : .seconds(60)
    )
    if lease <= .zero { try await expire(worker) }
    return jobs
  }

  /// Expires the lease of a worker.
  package func expire(_ worker: UUID) async throws {
    try await superuser.execute(
      "update core.worker set lease_until = now() - interval '1 second' where id = \(worker)"
    )
  }

  /// Makes all deferred jobs due.
  package func hurry() async throws {
    try await superuser.execute("update core.job_deferred set run_at = now()")
  }

  /// Enqueues all jobs for another run, as if a worker had died between its effects and its acknowledgement.
  package func runAgain() async throws {
    try await superuser.execute(
      """
      insert into core.job_deferred
        (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, payload)
      select p.company_id, p.id, p.round + 1, now(), p.lane, p.queue, p.kind, p.priority, p.attempt + 1, p.max_attempts,
        p.payload
      from core.job_queued p
      """
    )
  }

  /// A job as its row shows it.
  package func job(_ id: UUID) async throws -> JobRow? {
    try await superuser.transaction { tx in try JobListing.find(company: company, id: id, tx) }
  }

  /// Its attempts, oldest first.
  package func attempts(_ id: UUID) async throws -> [JobAttemptRow] {
    try await superuser.transaction(.inside(company)) { tx in
      try JobListing.attempts(company: company, id: id, tx)
    }
  }

  /// Waits until a job is in a state.
  package func reach(_ state: JobState, _ id: UUID, fileID: String = #fileID, line: Int = #line) async throws
  {
    try await until(fileID: fileID, line: line) { try await job(id)?.state == state }
  }

  /// An effect that can be counted: it adds a job of a kind without a handler.
  @Sendable package func leaveTrace(_ tx: Transaction) throws {
    let job = NewJob(id: services.ids.next(), kind: "test.trace", payload: JSON(text: "{}"))
    try JobOutbox.write([job], company: company, traceID: nil, tx)
  }

  /// The number of committed ``leaveTrace(_:)`` effects.
  package func traces() async throws -> Int {
    try await superuser.value("select count(*)::int from core.job where kind = 'test.trace'", as: Int.self)
  }

  /// Creates a worker without log output.
  package func worker(
    _ handlers: HandlerTable,
    queue: JobQueue? = nil,
    _ adjust: (inout WorkerConfiguration) -> Void = { _ in }
  ) -> Worker {
    var configuration = WorkerConfiguration()
    configuration.poll = .milliseconds(20)
    configuration.heartbeat = .milliseconds(50)
    // A long lease, so that a slow machine does not fail unrelated tests.
    configuration.lease = .seconds(300)
    adjust(&configuration)
    return Worker(
      database: workers,
      queue: queue ?? self.queue,
      handlers: handlers,
      configuration: configuration,
      logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
    )
  }

  /// Runs a worker during a body.
  package func working<Value: Sendable>(_ worker: Worker, _ body: () async throws -> Value) async throws
    -> Value
  {
    async let running: Void = worker.run()
    do {
      let value = try await body()
      worker.stop()
      try await running
      return value
    } catch {
      worker.stop()
      try await running
      throw error
    }
  }
}

extension JobQueue {
  /// Polls for jobs of some kinds and claims up to a limit, as a worker does in its loop.
  package func claim(worker: UUID, queues: [String], kinds: [String], limit: Int, lease: Duration)
    async throws
    -> [ClaimedJob]
  {
    try await poll(queues: Set(queues), kinds: Set(kinds))
    var jobs: [ClaimedJob] = []
    var patience = 100
    while jobs.count < limit, patience > 0 {
      let taken = try await take(worker: worker, queues: queues, limit: limit - jobs.count, lease: lease)
      jobs += taken.jobs
      guard taken.hasMore else { break }
      guard taken.isBusy else { continue }
      patience -= 1
      try await Task.sleep(for: .milliseconds(3))
    }
    return jobs
  }
}
