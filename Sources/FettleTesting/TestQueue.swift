internal import Domain
package import Engine
public import FoundationEssentials
internal import Jobs
internal import Logging
public import Postgres
package import Secrets
public import Store
package import TestDatabase

/// A queue of a test's own: a fresh database with one company in it, and what a test does with its jobs.
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
/// Nothing is imitated: the database is a PostgreSQL that the test process starts, jobs are claimed and their
/// effects committed as workers do it. Only there are no loops: jobs run when the test says so, one after the
/// other.
public struct TestQueue: Sendable {
  /// The company that jobs are done for.
  public var company: UUID { operatorContext.company.id }
  /// Connected as a worker is.
  public let database: Database
  /// The operator's services.
  package let services: Services
  /// The superuser, who sees and changes what no policy lets others.
  package let superuser: Database
  /// The operator's acting context in the company.
  package let operatorContext: ActingContext

  /// Makes a queue for the body, which is gone after it.
  public static func open<Value>(_ body: (TestQueue) async throws -> Value) async throws -> Value {
    try await open(in: TestDatabase.make(), body)
  }

  /// Makes a queue in a database, with a company in it.
  ///
  /// - Parameter workers: how workers get there; nil: straight.
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

  /// The logins of a company that is there already.
  ///
  /// - Parameter workers: how workers get there; nil: straight.
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

  /// Closes all its connections.
  package func close() async {
    await services.database.close()
    await database.close()
    await superuser.close()
  }

  /// Enqueues jobs in a transaction of their own.
  public func enqueue(_ jobs: [NewJob]) async throws {
    try await services.database.transaction(.inside(company)) { tx in
      try JobOutbox.write(jobs, company: company, traceID: "trace", tx)
    }
  }

  /// Enqueues a job and returns its id.
  ///
  /// - Parameters:
  ///   - payload: what it is about; it becomes JSON.
  ///   - delay: how long from now it may run at the earliest, by the clock that ``advance(by:)`` moves.
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

  /// Lets time pass: everything that waits for its time is due so much earlier.
  ///
  /// Jobs that were put off or are to be tried again, keys that are held for a time, timers of records and
  /// due times of schedules move; the clock of the database does not, and neither does what is in the past. A
  /// schedule that has fired reckons its next time from the database's clock.
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

  /// Fires the timers of records and the schedules that are due, and returns how many these were.
  @discardableResult
  public func fireDue() async throws -> Int {
    let services = Services(database: database, rules: services.rules, keys: services.keys)
    let keeper = Timekeeper(services, records: try await Records.open(services), logger: .silent)
    await keeper.reconcile()
    return await keeper.fireAll()
  }
}
