public import FoundationEssentials
public import Logging
public import Postgres
package import Store

/// Receives the progress and notes of running jobs, from any thread.
protocol JobListener: AnyObject, Sendable {
  /// - Parameters:
  ///   - done: the finished part, 0 to 1; nil if unknown.
  ///   - text: the note.
  func receive(_ claim: ClaimedJob.Claim, done: Double?, text: String?)
}

/// The context of one attempt at a job: its ids, the database, a logger, and progress reports.
///
/// A context may be used from any number of tasks until the handler returns. Later reports are ignored.
///
/// ```swift
/// func run(_ photos: Photos, context: JobContext) async throws -> JobEffects {
///   for (index, photo) in photos.all.enumerated() {
///     try await store.upload(photo, key: "\(context.idempotencyKey):\(index)")
///     context.progress(Double(index + 1) / Double(photos.all.count), "uploading")
///   }
///   context.logger.info("uploaded", metadata: ["photos": "\(photos.all.count)"])
///   return .none
/// }
/// ```
public struct JobContext: Sendable {
  /// The claimed job, with its claim and payload.
  package let job: ClaimedJob
  /// The database, for reading. Write with ``JobEffects``, which are committed only under a valid lease.
  ///
  /// A transaction of the handler's own is committed even if the lease was lost or the attempt fails, so the
  /// next attempt repeats it. Connections come from the pool that the worker's own loops use: hold none for
  /// long.
  public let database: Database
  private let log: Logger
  private let listener: (any JobListener)?

  /// - Parameters:
  ///   - job: the claimed job.
  ///   - database: the worker's database.
  ///   - log: the worker's logger.
  ///   - listener: receives progress and notes; nil drops them.
  init(job: ClaimedJob, database: Database, log: Logger, listener: (any JobListener)?) {
    self.job = job
    self.database = database
    self.log = log
    self.listener = listener
  }

  /// The job's id; the same in every attempt.
  public var id: UUID { job.id }

  /// The id of the company that the job belongs to.
  public var company: UUID { job.company }

  /// The number of this attempt, from 1. Snoozed and handed-back attempts are not counted.
  public var attempt: Int { job.attempt }

  /// The number of failed attempts after which the job is dead; 5 unless ``NewJob/maxAttempts`` was set.
  public var maxAttempts: Int { job.maxAttempts }

  /// The record whose change caused the job: its type, such as `maintenance.machine`, and its id. Nil for a
  /// job that no change of a record caused.
  public var cause: (type: String, id: UUID)? {
    job.subject.causeType.flatMap { type in job.subject.causeID.map { (type, $0) } }
  }

  /// The trace id of the request that caused the job, for logs and outgoing requests; nil if it had none.
  public var traceID: String? { job.subject.traceID }

  /// The idempotency key for effects outside the database: `job:<id>`, the same in every attempt.
  ///
  /// Append a suffix if one job has several effects outside the database.
  public var idempotencyKey: String { "job:\(job.id.uuidString.lowercased())" }

  /// A logger that adds the job's id, kind, queue, attempt and trace id to each line.
  ///
  /// Each access creates a logger, so keep it in a variable inside a loop.
  public var logger: Logger {
    var logger = log
    for (key, value) in job.logMetadata { logger[metadataKey: key] = value }
    return logger
  }

  /// Reports progress, shown by `fettle job show`.
  ///
  /// Returns at once and never fails; may be called any number of times. The worker writes the latest report
  /// at most once a second, and the last one when the handler returns. Reports are lost if the lease is lost
  /// or the database cannot be reached.
  ///
  /// - Parameters:
  ///   - done: the finished part, clamped to 0 to 1; a report with an infinite or undefined value is ignored.
  ///   - text: the current step, cut to 4,000 characters (Unicode code points); nil or empty for none.
  public func progress(_ done: Double, _ text: String? = nil) {
    listener?.receive(job.claim, done: done, text: text)
  }

  /// Adds a note to the job, shown by `fettle job show`.
  ///
  /// Returns at once and never fails. Notes are written at most once a second. At most 100 notes between two
  /// writes and 1,000 per attempt are kept; a last note gives the number of dropped ones.
  ///
  /// - Parameter text: cut to 4,000 characters (Unicode code points); an empty text is ignored.
  public func note(_ text: String) {
    listener?.receive(job.claim, done: nil, text: text)
  }
}

extension ClaimedJob {
  /// The log metadata that identifies a job: id, kind, queue, attempt and, if known, trace id.
  var logMetadata: Logger.Metadata {
    var metadata: Logger.Metadata = [
      "job": "\(id.uuidString.lowercased())", "kind": "\(kind)", "queue": "\(queue)", "attempt": "\(attempt)",
    ]
    if let traceID = subject.traceID { metadata["trace"] = "\(traceID)" }
    return metadata
  }
}
