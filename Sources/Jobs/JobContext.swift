public import FoundationEssentials
public import Logging
public import Postgres
package import Store

/// Receives the progress and notes of running jobs.
protocol JobListener: AnyObject, Sendable {
  /// - Parameters:
  ///   - done: the finished part, 0 to 1; nil if unknown.
  ///   - text: the note.
  func receive(_ claim: ClaimedJob.Claim, done: Double?, text: String?)
}

/// The context of one attempt at a job: its ids, the database, a logger, and progress reports.
public struct JobContext: Sendable {
  /// The job and its lease.
  package let job: ClaimedJob
  /// The database, for reading. Write with ``JobEffects``, which are committed only under a valid lease.
  public let database: Database
  private let log: Logger
  private let listener: (any JobListener)?

  init(job: ClaimedJob, database: Database, log: Logger, listener: (any JobListener)?) {
    self.job = job
    self.database = database
    self.log = log
    self.listener = listener
  }

  /// The job's key; the same in every attempt.
  public var id: UUID { job.id }

  /// The company of the job.
  public var company: UUID { job.company }

  /// The number of this attempt, from 1.
  public var attempt: Int { job.attempt }

  /// The number of failed attempts after which the job is dead.
  public var maxAttempts: Int { job.maxAttempts }

  /// The record whose change caused the job, if any.
  public var cause: (type: String, id: UUID)? {
    job.subject.causeType.flatMap { type in job.subject.causeID.map { (type, $0) } }
  }

  /// The trace id of the request that caused the job, for logs and outgoing calls.
  public var traceID: String? { job.subject.traceID }

  /// The idempotency key for effects outside the database, `job:<id>`: the same in every attempt.
  public var idempotencyKey: String { "job:\(job.id.uuidString.lowercased())" }

  /// A logger that adds the job's id, kind, queue, attempt and trace id to each line.
  public var logger: Logger {
    var logger = log
    for (key, value) in job.logMetadata { logger[metadataKey: key] = value }
    return logger
  }

  /// Reports progress.
  ///
  /// May be called any number of times: the last report is written about once a second, and none after the lease
  /// is lost.
  ///
  /// - Parameters:
  ///   - done: the finished part, 0 to 1.
  ///   - text: the current step.
  public func progress(_ done: Double, _ text: String? = nil) {
    listener?.receive(job.claim, done: done, text: text)
  }

  /// Adds a note to the job, shown by `fettle job show`. Beyond a hundred per second or a thousand per attempt, notes are
  /// counted and dropped.
  public func note(_ text: String) {
    listener?.receive(job.claim, done: nil, text: text)
  }
}

extension ClaimedJob {
  /// The log metadata that identifies a job.
  var logMetadata: Logger.Metadata {
    var metadata: Logger.Metadata = [
      "job": "\(id.uuidString.lowercased())", "kind": "\(kind)", "queue": "\(queue)", "attempt": "\(attempt)",
    ]
    if let traceID = subject.traceID { metadata["trace"] = "\(traceID)" }
    return metadata
  }
}
