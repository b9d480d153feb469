internal import Domain
package import Engine
public import FoundationEssentials
internal import Jobs
internal import Logging
public import Postgres
package import Secrets
public import Store
package import TestDatabase

/// A queue for one test: a new database with one company, and methods to enqueue, run and check jobs.
///
/// ```swift
/// @Test func `a reminder is followed by a letter`() async throws {
///   try await TestQueue.open { queue in
///     try await queue.enqueue("reminder.send", payload: Reminder(invoice: 7))
///     try await queue.drain(ReminderHandler())
///     try await queue.expectEnqueued(kind: "letter.print") { $0.runsIn > .seconds(3_600) }
///     try await queue.advance(by: .seconds(7 * 86_400))
///     let runs = try await queue.drain(LetterHandler())
///     #expect(runs.map(\.outcome) == [.succeeded])
///   }
/// }
/// ```
///
/// Nothing is mocked: the database is a PostgreSQL started by the test process, and jobs are claimed and
/// committed as by a worker. Only the loops are missing: jobs run when the test says so, one after the other.
public struct TestQueue: Sendable {
  /// The company of the jobs.
  public var company: UUID { operatorContext.company.id }
  /// A connection as a worker.
  public let database: Database
  /// The operator's services.
  package let services: Services
  /// A connection as the superuser, who is not subject to policies.
  package let superuser: Database
  /// The operator's acting context in the company.
  package let operatorContext: ActingContext

  /// Creates a queue for the body, and removes it afterwards.
  ///
  /// - Throws: errors of the body, and of PostgreSQL if it is not installed.
  public static func open<Value>(_ body: (TestQueue) async throws -> Value) async throws -> Value {
    try await open(in: TestDatabase.make(), body)
  }

  /// Creates a company in a database, and a queue for it.
  ///
  /// - Parameter workers: the workers' connections; nil for direct ones.
  package static func open<Value>(
    in place: TestDatabase,
    workers: Database? = nil,
    rules: AppRules = .none,
    _ body: (TestQueue) async throws -> Value
  ) async throws -> Value {
    let keys = Keys.random()
    let admin = place.connect(as: "fettle_admin", poolSize: 1)
    let company = try await Companies(Services(database: admin, keys: { keys })).create(
      slug: "acme",
      name: "Acme",
      timeZone: "Europe/Stockholm",
      owner: (email: "eva@acme.example", name: "Eva"),
      actor: .operator("tester")
    ).company
    await admin.close()
    let operatorContext = ActingContext(company: company, actor: .operator("tester"), user: nil)
    let queue = TestQueue(
      in: place,
      operatorContext: operatorContext,
      keys: { keys },
      workers: workers,
      rules: rules
    )
    do {
      let value = try await body(queue)
      await queue.close()
      return value
    } catch {
      await queue.close()
      throw error
    }
  }

  /// Makes a queue for an existing company.
  ///
  /// - Parameter workers: the workers' connections; nil for direct ones.
  package init(
    in place: TestDatabase,
    operatorContext: ActingContext,
    keys: @escaping @Sendable () throws -> Keys,
    workers: Database? = nil,
    rules: AppRules = .none
  ) {
    self.operatorContext = operatorContext
    services = Services(database: place.connect(as: "fettle_admin", poolSize: 4), rules: rules, keys: keys)
    database = workers ?? place.connect(as: "fettle_worker", poolSize: 8)
    superuser = place.connect(as: "postgres", poolSize: 2)
  }

  /// Closes all connections.
  package func close() async {
    await services.database.close()
    await database.close()
    await superuser.close()
  }

  /// Enqueues jobs in one transaction.
  public func enqueue(_ jobs: [NewJob]) async throws {
    try await services.database.transaction(.inside(company)) { tx in
      try JobOutbox.write(jobs, company: company, traceID: "trace", tx)
    }
  }

  /// Enqueues a job.
  ///
  /// - Parameters:
  ///   - payload: the input; encoded as JSON.
  ///   - delay: time from now until it may run, by the clock that ``advance(by:)`` moves.
  /// - Returns: the job's id.
  @discardableResult
  public func enqueue(
    _ kind: String,
    payload: some Encodable & Sendable = [String: String](),
    queue: String = "default",
    priority: Int = 2,
    in delay: Duration? = nil,
    maxAttempts: Int = 5,
    uniqueKey: String? = nil
  ) async throws -> UUID {
    var runAt: Timestamp?
    if let delay {
      runAt = try await superuser.value("select clock_timestamp()", as: Timestamp.self) + delay
    }
    let job = NewJob(
      id: services.ids.next(),
      kind: kind,
      queue: queue,
      priority: priority,
      runAt: runAt,
      maxAttempts: maxAttempts,
      payload: try JSON(encoding: payload),
      uniqueKey: uniqueKey
    )
    try await enqueue([job])
    return job.id
  }

  /// Advances time: everything that waits for a time is due earlier by this duration.
  ///
  /// This moves deferred jobs, retries, held unique keys, timers of records and due times of schedules. The
  /// database's clock does not change, and neither does the past. A schedule that has fired computes its next
  /// time from the database's clock.
  public func advance(by time: Duration) async throws {
    let span = "\(time.seconds) seconds"
    try await superuser.transaction { tx in
      try tx.execute(
        "update core.job_deferred set run_at = run_at - \(span)::text::interval where company_id = \(company)"
      )
      try tx.execute(
        """
        update core.job_key set until = until - \(span)::text::interval
        where company_id = \(company) and until is not null
        """
      )
      try tx.execute(
        "update core.timer set due_at = due_at - \(span)::text::interval where company_id = \(company)"
      )
      try tx.execute(
        """
        update core.schedule set next_at = next_at - \(span)::text::interval
        where company_id = \(company) and isfinite(next_at)
        """
      )
    }
  }

  /// Fires all due timers and schedules. Returns their number.
  @discardableResult
  public func fireDue() async throws -> Int {
    let services = Services(database: database, rules: services.rules, keys: services.keys)
    let keeper = Timekeeper(services, records: try await Records.open(services), logger: .silent)
    await keeper.reconcile()
    return await keeper.fireAll()
  }
}
