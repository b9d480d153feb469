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
/// Nothing is mocked: the test process starts PostgreSQL, and jobs are claimed and committed as by a worker.
/// Only the worker's loops are missing: jobs run when the test says so, one after the other. Timeouts of
/// handlers are not enforced.
public struct TestQueue: Sendable {
  /// The id of the company that owns the jobs.
  public var company: UUID { operatorContext.company.id }
  /// Connections as a worker, with the rights of the role `fettle_worker`.
  public let database: Database
  /// The operator's services.
  package let services: Services
  /// Connections as the superuser, to whom row-level security does not apply.
  package let superuser: Database
  /// The operator's acting context in the company.
  package let operatorContext: ActingContext

  /// Creates a queue for the body, and closes its connections afterwards.
  ///
  /// The queue has a new database with one company, `acme`, in the time zone `Europe/Stockholm`. The first
  /// call of a process starts PostgreSQL. The databases are deleted with the server when the process ends.
  ///
  /// - Parameter body: the test; its queue must not be used after it has returned.
  /// - Returns: the result of the body.
  /// - Throws: the errors of the body, unchanged; an error if PostgreSQL is not installed or does not start.
  public static func open<Value>(_ body: (TestQueue) async throws -> Value) async throws -> Value {
    try await TestDatabase.withOwn { try await open(in: $0, body) }
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

  /// Creates a queue for an existing company.
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

  /// Enqueues jobs in one transaction: all of them or none.
  ///
  /// A job with a unique key that another open job of the kind holds is skipped.
  ///
  /// - Parameter jobs: the jobs.
  /// - Throws: `PostgresError` for values that the queue rejects, such as a priority of 5.
  public func enqueue(_ jobs: [NewJob]) async throws {
    try await services.database.transaction(.inside(company)) { tx in
      try JobOutbox.write(jobs, company: company, traceID: "trace", tx)
    }
  }

  /// Enqueues a job.
  ///
  /// If another open job of the kind holds the unique key, nothing is enqueued and no job has the returned
  /// id.
  ///
  /// - Parameters:
  ///   - kind: the kind, lower-case words joined by dots, such as `letter.print`.
  ///   - payload: the input, encoded as JSON; an empty object unless given.
  ///   - queue: the queue: a letter, then at most 62 letters, digits, dashes and underscores, all in lower
  ///     case.
  ///   - priority: 1 (urgent) to 4 (when idle); lower numbers run first.
  ///   - delay: the time until the job is due, which ``advance(by:)`` shortens; nil for now.
  ///   - maxAttempts: the number of failed attempts after which the job is dead, 1 to 1,000.
  ///   - uniqueKey: 1 to 200 characters, held by at most one open job of the kind; nil for no limit.
  /// - Returns: the id of the job.
  /// - Throws: `EncodingError` for a payload that cannot be JSON, `PostgresError` for a value out of range.
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
    var runAt: Instant?
    if let delay {
      runAt = try await superuser.value("select clock_timestamp()", as: Instant.self) + delay
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

  /// Advances time for the company: all its waiting rows become due earlier by a duration.
  ///
  /// This moves the due times of deferred jobs, retries, record timers and schedules, and the end times of
  /// unique keys. Nothing is run: call ``drain(_:queues:limit:)`` or ``fireDue()`` next. The database's clock
  /// does not change, and neither do recorded times. A schedule that has fired computes its next due time
  /// from the database's clock.
  ///
  /// - Parameter time: the duration; a negative one makes the rows due later.
  /// - Throws: `PostgresError` if the update fails; then nothing has moved.
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

  /// Processes all due timers of records and all due schedules, of every company in the database.
  ///
  /// A new schedule is not fired by the first call, which only computes its due time. The enqueued jobs wait
  /// for ``drain(_:queues:limit:)``.
  ///
  /// - Returns: the number of processed timers and schedules, including refused and failed ones.
  /// - Throws: an error if the apps and workflows cannot be read. Errors of single timers and schedules are
  ///   not thrown: a failed timer is postponed.
  @discardableResult
  public func fireDue() async throws -> Int {
    let services = Services(database: database, rules: services.rules, keys: services.keys)
    let keeper = Timekeeper(services, records: try await Records.open(services), logger: .silent)
    await keeper.reconcile()
    return await keeper.fireAll()
  }
}
