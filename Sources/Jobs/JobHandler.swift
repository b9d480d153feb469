internal import Domain
public import Postgres
public import Store

/// A handler for jobs of one kind.
///
/// A job runs at least once: a worker may die between an effect outside the database and the commit. A
/// handler returns its changes of the database as ``JobEffects``. They are committed together with the job's
/// success and only under a valid lease, so they happen exactly once. Effects outside the database must carry
/// ``JobContext/idempotencyKey``.
///
/// ```swift
/// struct PrintHandler: JobHandler {
///   struct Letter: Codable, Sendable { let id: UUID }
///
///   let kind = "letter.print"
///   var timeout: Duration? { .seconds(30) }
///
///   func run(_ letter: Letter, context: JobContext) async throws -> JobEffects {
///     try await printer.print(letter.id, key: context.idempotencyKey)
///     return JobEffects { tx in
///       try tx.execute("update letter set printed = true where id = \(letter.id)")
///     }
///   }
/// }
/// ```
///
/// Handlers are called concurrently, on any number of workers. Two attempts at the same job may overlap: a
/// worker that lost its lease may still be running the earlier one.
public protocol JobHandler: Sendable {
  /// The job's input: ids and names, not rights. Stored as JSON and decoded for each attempt; a payload that
  /// cannot be decoded makes the job dead.
  associatedtype Payload: Codable & Sendable

  /// The kind of the jobs, such as `notify.send`; unique among the handlers of a worker.
  var kind: String { get }

  /// The time limit of one attempt; nil, the default, for the worker's limit of 60 seconds.
  ///
  /// When the limit has passed, the attempt's task is cancelled. An attempt that throws after that has
  /// failed. An attempt that still returns within 5 seconds has succeeded.
  var timeout: Duration? { get }

  /// The maximum number of jobs of this kind that a worker runs at once for one company; nil, the default, for
  /// any number.
  ///
  /// For kinds that take long: the jobs of other companies and kinds must not wait with them. Half of the
  /// worker's slots is the maximum, and all such kinds together get three quarters of the slots. An operator
  /// replaces the number by a limit on running jobs of the kind, for the company or for each company.
  var maxRunningPerCompany: Int? { get }

  /// True for a kind whose jobs spend their time waiting for a server of a customer, which may be late or hang.
  /// False by default; it has no effect without ``maxRunningPerCompany``.
  ///
  /// Such jobs do not use the worker's slots but places of their own, which companies share by the time that
  /// they occupy: the later the receivers of a company are, the fewer of its jobs run at once.
  var waitsOutside: Bool { get }

  /// Runs one attempt.
  ///
  /// The task is cancelled when the lease is lost, the time limit has passed, a user cancels the job, or the
  /// grace period of a stopping worker (20 seconds) is over. A handler must end soon after that: after 5
  /// seconds the worker gives its slot to another job and ignores what the handler still returns, but cannot
  /// stop its code.
  ///
  /// - Parameters:
  ///   - payload: the job's input, decoded.
  ///   - context: the ids of the job, the database, a logger, and progress reports.
  /// - Returns: the effects to commit with the job's success; ``JobEffects/none`` if there are none.
  /// - Throws: ``JobFailure`` to decide about further attempts. After any other error the job is retried with
  ///   backoff, and is dead after the last attempt. The error's text is stored with the attempt and shown to
  ///   operators.
  func run(_ payload: Payload, context: JobContext) async throws -> JobEffects
}

extension JobHandler {
  /// Nil: the worker's default applies.
  public var timeout: Duration? { nil }

  /// Nil: any number.
  public var maxRunningPerCompany: Int? { nil }

  /// False: its jobs use slots.
  public var waitsOutside: Bool { false }
}

/// Changes of the database that are committed with the success of a job.
///
/// All effects of an attempt and its success are one transaction in the context of the job's company. If the
/// lease was lost, nothing is written. If an effect throws, everything is rolled back and the attempt has
/// failed with that error; a ``JobFailure`` is treated like one that the handler throws.
///
/// ```swift
/// let reminder = try NewJob("reminder.send", payload: letter)
/// return JobEffects { tx in
///   try tx.execute("update letter set printed = true where id = \(letter.id)")
/// }
/// .and(.enqueue([reminder], after: context))
/// ```
public struct JobEffects: Sendable {
  private let write: (@Sendable (Transaction) throws -> Void)?

  /// No changes. The success is then committed together with the successes of other jobs, which is much
  /// cheaper, unless the job has a unique key.
  public static let none = JobEffects(write: nil)

  private init(write: (@Sendable (Transaction) throws -> Void)?) { self.write = write }

  /// True if there is anything to write.
  var isSomething: Bool { write != nil }

  /// Writes the effects.
  ///
  /// - Throws: the error of a closure.
  func apply(_ tx: Transaction) throws { try write?(tx) }

  /// Creates effects from a closure.
  ///
  /// - Parameter write: runs in a transaction in the context of the job's company, with time limits of 10
  ///   seconds per statement and 5 seconds per lock. It runs again after a deadlock or a serialisation
  ///   failure (up to five times), or if a pooled connection was dead, so it must change nothing outside the
  ///   database. It must not commit or roll back.
  public init(_ write: @escaping @Sendable (Transaction) throws -> Void) {
    self.write = write
  }

  /// Returns these effects followed by others, in one transaction.
  ///
  /// - Parameter other: written after these; if it throws, neither takes effect.
  public func and(_ other: JobEffects) -> JobEffects {
    guard isSomething else { return other }
    guard other.isSomething else { return self }
    return JobEffects { tx in
      try apply(tx)
      try other.apply(tx)
    }
  }

  /// Returns effects that enqueue follow-up jobs in the same company, with the same trace id.
  ///
  /// - Parameters:
  ///   - jobs: the follow-up jobs. A job with a unique key that another open job holds is skipped.
  ///   - context: the context of the current job.
  public static func enqueue(_ jobs: [NewJob], after context: JobContext) -> JobEffects {
    enqueue(jobs, after: context.job)
  }

  /// Returns effects that enqueue follow-up jobs in the same company, with the same trace id.
  ///
  /// - Parameters:
  ///   - jobs: the follow-up jobs.
  ///   - job: the current job.
  package static func enqueue(_ jobs: [NewJob], after job: ClaimedJob) -> JobEffects {
    JobEffects { tx in
      try JobOutbox.write(jobs, company: job.company, traceID: job.subject.traceID, tx)
    }
  }
}

/// An error that decides about further attempts of a job.
///
/// ```swift
/// guard response.status != 429 else { throw JobFailure.temporary("rate limited", after: .seconds(30)) }
/// guard response.status != 404 else { throw JobFailure.permanent("the address does not exist") }
/// guard market.isOpen else { throw JobFailure.snooze(.seconds(3_600), "the market is closed") }
/// ```
///
/// The text is stored with the attempt and shown to operators: write no secrets into it.
public enum JobFailure: Error, Sendable {
  /// A later attempt may succeed. The job is retried after the given time, or with backoff: a random time up
  /// to 1, 2, 4 … seconds, at most an hour and at least 50 milliseconds. On the last attempt the job is dead.
  case temporary(String, after: Duration? = nil)
  /// No attempt can succeed: the job is dead at once. Operators see dead jobs and can retry them.
  case permanent(String)
  /// The job is not ready yet: it runs again after the time, and the attempt does not count. A job can be
  /// snoozed any number of times.
  case snooze(Duration, String? = nil)
}
