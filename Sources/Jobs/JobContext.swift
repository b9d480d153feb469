public import FoundationEssentials
public import Logging
public import Postgres
package import Store

/// Whoever is told by running jobs how far they are.
protocol JobListener: AnyObject, Sendable {
  /// - Parameters:
  ///   - done: from 0 to 1; nil: the job did not say.
  ///   - text: what it said.
  func receive(_ claim: ClaimedJob.Claim, done: Double?, text: String?)
}

/// What a handler knows beside its payload, and through which it tells how far it is.
public struct JobContext: Sendable {
  /// The job and its lease.
  package let job: ClaimedJob
  /// The database, for what the handler must read.
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

  /// The company it is done for.
  public var company: UUID { job.company }

  /// Which attempt this is, from 1.
  public var attempt: Int { job.attempt }

  /// After so many failures it is dead.
  public var maxAttempts: Int { job.maxAttempts }

  /// The record whose change caused it.
  public var cause: (type: String, id: UUID)? {
    job.subject.causeType.flatMap { type in job.subject.causeID.map { (type, $0) } }
  }

  /// The request that caused it, for logs and for those it calls.
  public var traceID: String? { job.subject.traceID }

  /// What effects outside the database carry, so that a repetition is recognised there.
  public var idempotencyKey: String { "job:\(job.id.uuidString.lowercased())" }

  /// A logger whose lines say which job they are about.
  public var logger: Logger {
    var logger = log
    for (key, value) in job.logMetadata { logger[metadataKey: key] = value }
    return logger
  }

  /// Tells how much of the job is done, for those who watch it.
  ///
  /// It may be told as often as one likes: it is written about once a second, and only the last. Once the
  /// lease is lost nothing is written any more.
  ///
  /// - Parameters:
  ///   - done: from 0 to 1.
  ///   - text: what it is at.
  public func progress(_ done: Double, _ text: String? = nil) {
    listener?.receive(job.claim, done: done, text: text)
  }

  /// Leaves a line beside the job, for those who look at it; of more than a hundred a second, or a thousand
  /// an attempt, only the number is kept.
  public func note(_ text: String) {
    listener?.receive(job.claim, done: nil, text: text)
  }
}

extension ClaimedJob {
  /// What tells in a log which job a line is about.
  var logMetadata: Logger.Metadata {
    var metadata: Logger.Metadata = [
      "job": "\(id.uuidString.lowercased())", "kind": "\(kind)", "queue": "\(queue)", "attempt": "\(attempt)",
    ]
    if let traceID = subject.traceID { metadata["trace"] = "\(traceID)" }
    return metadata
  }
}
