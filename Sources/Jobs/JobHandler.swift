internal import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// What runs jobs of one kind.
///
/// A job runs at least once: a worker can die between what it did outside and the commit. What a handler does
/// to the database it returns as effects, which are committed together with the job's success and only while the
/// lease holds, so they happen once. What it does outside must carry ``JobContext/idempotencyKey``.
package protocol JobHandler: Sendable {
  /// What the job is about: ids and names, not rights.
  associatedtype Payload: Codable & Sendable

  /// The kind of job it runs, such as `notify.send`.
  var kind: String { get }

  /// Runs one job.
  ///
  /// It ends soon when its task is cancelled: the lease is lost, time is up, or the worker stops.
  ///
  /// - Returns: the effects to commit with the job's success.
  /// - Throws: ``JobFailure`` to say whether another attempt can help; any other error is retried.
  func run(_ payload: Payload, context: JobContext) async throws -> JobEffects
}

/// What a handler wants written when its job succeeds.
package struct JobEffects: Sendable {
  let write: @Sendable (Transaction) throws -> Void

  /// Nothing.
  package static let none = JobEffects { _ in }

  /// - Parameter write: runs inside the job's company; it may run again after a deadlock.
  package init(_ write: @escaping @Sendable (Transaction) throws -> Void) {
    self.write = write
  }
}

/// What a handler knows beside its payload.
package struct JobContext: Sendable {
  /// The job and its lease.
  package let job: ClaimedJob
  /// The record whose change caused it.
  package let cause: (type: String, id: UUID)?
  /// The request that caused it, for logs and for those it calls.
  package let traceID: String?
  /// The database, for what the handler must read.
  package let database: Database

  /// What effects outside the database carry, so that a repetition is recognised there.
  package var idempotencyKey: String { "job:\(job.id.uuidString.lowercased())" }
}

/// Why a job failed, and whether trying again can help.
package enum JobFailure: Error, Sendable {
  /// It may go better later; after the given time, or after the usual backoff.
  case temporary(String, after: Duration? = nil)
  /// It will not go better: the job is dead at once, visible and retryable by hand.
  case permanent(String)
}
