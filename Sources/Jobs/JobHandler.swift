internal import Domain
public import Postgres
public import Store

/// A handler for jobs of one kind.
///
/// A job runs at least once: a worker may die between an effect outside the database and the commit. A handler returns
/// its changes of the database as ``JobEffects``. They are committed together with the job's success and only under a
/// valid lease, so they happen exactly once. Effects outside the database must carry ``JobContext/idempotencyKey``.
///
/// Handlers are called concurrently, on any number of workers.
public protocol JobHandler: Sendable {
  /// The job's input: ids and names, not rights. Stored as JSON.
  associatedtype Payload: Codable & Sendable

  /// The kind of the jobs, such as `notify.send`; unique among the handlers of a worker.
  var kind: String { get }

  /// Maximum time for one attempt; nil for the worker's default. The attempt is cancelled and counts as failed after that.
  var timeout: Duration? { get }

  /// Runs one attempt.
  ///
  /// Must end soon after its task is cancelled: the lease was lost, the timeout has passed, or the worker stops.
  ///
  /// - Returns: the effects to commit with the job's success.
  /// - Throws: ``JobFailure`` to decide about further attempts; the attempt is repeated after any other error.
  func run(_ payload: Payload, context: JobContext) async throws -> JobEffects
}

extension JobHandler {
  /// The worker's default.
  public var timeout: Duration? { nil }
}

/// Changes of the database that are committed with the success of a job.
public struct JobEffects: Sendable {
  private let write: (@Sendable (Transaction) throws -> Void)?

  /// No changes. The success is then committed together with that of other jobs, which is much cheaper.
  public static let none = JobEffects(write: nil)

  private init(write: (@Sendable (Transaction) throws -> Void)?) { self.write = write }

  /// True if there is anything to write.
  var isSomething: Bool { write != nil }

  func apply(_ tx: Transaction) throws { try write?(tx) }

  /// Makes effects from a closure.
  ///
  /// - Parameter write: runs in a transaction in the context of the job's company; may run again after a deadlock.
  public init(_ write: @escaping @Sendable (Transaction) throws -> Void) {
    self.write = write
  }

  /// Returns these effects followed by others, in one transaction.
  public func and(_ other: JobEffects) -> JobEffects {
    guard isSomething else { return other }
    guard other.isSomething else { return self }
    return JobEffects { tx in
      try apply(tx)
      try other.apply(tx)
    }
  }

  /// Returns effects that enqueue follow-up jobs in the same company.
  public static func enqueue(_ jobs: [NewJob], after context: JobContext) -> JobEffects {
    enqueue(jobs, after: context.job)
  }

  /// Returns effects that enqueue follow-up jobs in the same company.
  package static func enqueue(_ jobs: [NewJob], after job: ClaimedJob) -> JobEffects {
    JobEffects { tx in
      try JobOutbox.write(jobs, company: job.company, traceID: job.subject.traceID, tx)
    }
  }
}

/// An error that decides about further attempts of a job.
public enum JobFailure: Error, Sendable {
  /// A later attempt may succeed: after the given time, or with the usual backoff.
  case temporary(String, after: Duration? = nil)
  /// No attempt can succeed: the job is dead at once. Dead jobs are visible and can be retried by hand.
  case permanent(String)
  /// Too early: the job runs again after the time, and the attempt does not count.
  case snooze(Duration, String? = nil)
}
