public import FoundationEssentials
public import Jobs
internal import Logging
internal import Store

/// One attempt at a job, with its outcome and notes.
///
/// Two runs are equal if all their values are equal, the job's id included.
public struct TestRun: Sendable, Hashable {
  /// The outcome of an attempt.
  public enum Outcome: Sendable, Hashable {
    /// The handler returned. Its effects, if any, are committed with the job's success.
    case succeeded
    /// The attempt failed, and the job will be retried. The values are the error message and the time until
    /// the next attempt is due.
    case failed(String, retryAfter: Duration)
    /// The job is dead: the failure was permanent, or this was the last attempt. The value is the error
    /// message.
    case dead(String)
    /// The handler postponed the job, and the attempt does not count. The values are the time until the job
    /// is due again and the handler's reason, nil if it gave none.
    case snoozed(Duration, String?)
    /// The claim ended during the attempt, for example because its lease expired. Neither the outcome nor the
    /// effects are written.
    case lost
  }

  /// A progress report or a note of the handler.
  public struct Note: Sendable, Hashable {
    /// The finished part, 0 to 1; nil for a note without progress.
    public let done: Double?
    /// The text; nil for progress without a text.
    public let text: String?

    /// Creates a note to compare with those of a run.
    ///
    /// - Parameters:
    ///   - done: the finished part, 0 to 1; nil for a note without progress.
    ///   - text: the text; nil for progress without a text.
    public init(done: Double? = nil, text: String? = nil) {
      self.done = done
      self.text = text
    }
  }

  /// The id of the job, the same in every attempt.
  public let id: UUID
  /// The kind of the job.
  public let kind: String
  /// The number of the attempt, from 1; a snoozed attempt is repeated under the same number.
  public let attempt: Int
  /// The outcome of the attempt.
  public let outcome: Outcome
  /// The handler's progress reports and notes, oldest first. A worker drops some of them above a limit; a
  /// test keeps all.
  public let notes: [Note]
}

extension TestQueue {
  /// Enqueues a job and runs its first attempt.
  ///
  /// The effects are committed if the attempt succeeds. A failed or snoozed job stays in its own queue,
  /// `inline-` and eight hexadecimal digits, where ``drain(_:queues:limit:)`` can run it later. Other jobs are not
  /// run, even of the same kind.
  ///
  /// - Parameters:
  ///   - handler: the handler, which also names the kind.
  ///   - payload: the input, encoded as JSON.
  /// - Returns: the attempt.
  /// - Throws: ``NothingRan`` if the kind is paused or limited, `EncodingError` for a payload that is not
  ///   JSON, `PostgresError` of the queue. Errors of the handler are not thrown: they are the outcome.
  public func run<Handler: JobHandler>(_ handler: Handler, _ payload: Handler.Payload) async throws -> TestRun
  {
    // No other job is in this queue.
    let queue = "inline-\(UUID().uuidString.lowercased().prefix(8))"
    try await enqueue(handler.kind, payload: payload, queue: queue)
    guard let run = try await drain(handler, queues: [queue]).first else {
      throw NothingRan(kind: handler.kind)
    }
    return run
  }

  /// Runs all ready jobs of these handlers, and the jobs that those enqueue, until none is ready.
  ///
  /// Jobs run one after the other: by priority within a batch, which has 100 jobs at most. Deferred jobs and
  /// retries wait for ``advance(by:)``. Jobs without a handler, and paused or limited ones, stay in the
  /// queue.
  ///
  /// - Parameters:
  ///   - handlers: the handlers; a later one replaces an earlier one of the same kind.
  ///   - queues: the queues to run; jobs that are enqueued in others stay there. Nil for all queues with
  ///     jobs, including those that get jobs during the drain.
  ///   - limit: the maximum number of attempts before the drain fails, since a chain of jobs may be
  ///     endless. It is checked after each batch.
  /// - Returns: the attempts in the order in which they ran.
  /// - Throws: an error if more than `limit` attempts ran, and `PostgresError` of the queue. Errors of
  ///   handlers are not thrown: they are outcomes.
  @discardableResult
  public func drain(_ handlers: any JobHandler..., queues: [String]? = nil, limit: Int = 10_000) async throws
    -> [TestRun]
  {
    var table = HandlerTable()
    for handler in handlers { table.add(handler) }
    var runs: [TestRun] = []
    while true {
      let chosen: [String]
      if let queues { chosen = queues } else { chosen = Set(try await jobs().map(\.queue)).sorted() }
      guard !chosen.isEmpty else { return runs }
      let attempts = try await InlineWorker(database, handlers: table).drain(
        queues: chosen,
        limit: limit - runs.count
      )
      runs += attempts.map(TestRun.init)
      // A job may have enqueued another one in a queue that was empty before.
      guard queues == nil, !attempts.isEmpty else { return runs }
    }
  }
}

extension TestRun {
  fileprivate init(_ attempt: InlineWorker.Attempt) {
    id = attempt.job.id
    kind = attempt.job.kind
    self.attempt = attempt.job.attempt
    notes = attempt.notes.map { Note(done: $0.done, text: $0.text) }
    outcome =
      switch attempt.outcome {
      case .succeeded: .succeeded
      case .failed(let reason, let time): .failed(reason, retryAfter: time)
      case .dead(let reason): .dead(reason)
      case .snoozed(let time, let why): .snoozed(time, why)
      case .lost: .lost
      }
  }
}

/// The error of ``TestQueue/run(_:_:)`` if the new job could not be claimed, because its kind is paused or
/// limited.
public struct NothingRan: Error, Sendable, CustomStringConvertible {
  /// The kind of the handler.
  public let kind: String

  /// The message that the test's output shows.
  public var description: String {
    "no job of kind \(kind) could be claimed: the kind is paused or limited"
  }
}

extension Logger {
  /// A logger without output.
  static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}
