internal import Domain
public import Postgres
public import Store

/// What runs jobs of one kind.
///
/// A job runs at least once: a worker can die between what it did outside and the commit. What a handler does
/// to the database it returns as effects, which are committed together with the job's success and only while the
/// lease holds, so they happen once. What it does outside must carry ``JobContext/idempotencyKey``.
public protocol JobHandler: Sendable {
  /// What the job is about: ids and names, not rights.
  associatedtype Payload: Codable & Sendable

  /// The kind of job it runs, such as `notify.send`.
  var kind: String { get }

  /// How long one attempt may take; nil: as the worker is configured.
  var timeout: Duration? { get }

  /// Runs one job.
  ///
  /// It ends soon when its task is cancelled: the lease is lost, time is up, or the worker stops.
  ///
  /// - Returns: the effects to commit with the job's success.
  /// - Throws: ``JobFailure`` to say whether another attempt can help; any other error is retried.
  func run(_ payload: Payload, context: JobContext) async throws -> JobEffects
}

extension JobHandler {
  /// As the worker is configured.
  public var timeout: Duration? { nil }
}

/// What a handler wants written when its job succeeds.
public struct JobEffects: Sendable {
  private let write: (@Sendable (Transaction) throws -> Void)?

  /// Nothing: the job's success is then committed with that of others.
  public static let none = JobEffects(write: nil)

  private init(write: (@Sendable (Transaction) throws -> Void)?) { self.write = write }

  /// Whether there is anything to be written.
  var isSomething: Bool { write != nil }

  func apply(_ tx: Transaction) throws { try write?(tx) }

  /// - Parameter write: runs inside the job's company; it may run again after a deadlock.
  public init(_ write: @escaping @Sendable (Transaction) throws -> Void) {
    self.write = write
  }

  /// What these write and then what those do, in one transaction.
  public func and(_ other: JobEffects) -> JobEffects {
    guard isSomething else { return other }
    guard other.isSomething else { return self }
    return JobEffects { tx in
      try apply(tx)
      try other.apply(tx)
    }
  }

  /// Jobs to follow, enqueued in the company of this one with its success.
  public static func enqueue(_ jobs: [NewJob], after context: JobContext) -> JobEffects {
    enqueue(jobs, after: context.job)
  }

  /// Jobs to follow, enqueued in the company of this one with its success.
  package static func enqueue(_ jobs: [NewJob], after job: ClaimedJob) -> JobEffects {
    JobEffects { tx in
      try JobOutbox.write(jobs, company: job.company, traceID: job.subject.traceID, tx)
    }
  }
}

/// Why a job failed, and whether trying again can help.
public enum JobFailure: Error, Sendable {
  /// It may go better later; after the given time, or after the usual backoff.
  case temporary(String, after: Duration? = nil)
  /// It will not go better: the job is dead at once, visible and retryable by hand.
  case permanent(String)
  /// It is too early, and nobody's fault: it comes back after the time, and the attempt does not count.
  case snooze(Duration, String? = nil)
}
