public import FoundationEssentials
public import Jobs
internal import Logging
internal import Store

/// One attempt at a job and its outcome.
public struct TestRun: Sendable, Hashable {
  /// The outcome of an attempt.
  public enum Outcome: Sendable, Hashable {
    case succeeded
    /// The attempt failed; the next one is due after the time.
    case failed(String, retryAfter: Duration)
    /// The job is dead.
    case dead(String)
    /// The job was postponed; the attempt does not count.
    case snoozed(Duration, String?)
    /// The test took the lease away meanwhile: nothing was written.
    case lost
  }

  /// A progress report or a note of the handler.
  public struct Note: Sendable, Hashable {
    /// The finished part, 0 to 1, if reported.
    public let done: Double?
    /// The text, if any.
    public let text: String?

    /// Makes a note from progress, a text, or both.
    public init(done: Double? = nil, text: String? = nil) {
      self.done = done
      self.text = text
    }
  }

  /// The job's key.
  public let id: UUID
  /// The job's kind.
  public let kind: String
  /// The number of the attempt, from 1.
  public let attempt: Int
  /// The outcome.
  public let outcome: Outcome
  /// The notes in order.
  public let notes: [Note]
}

extension TestQueue {
  /// Runs a handler with a payload, as the first attempt at a new job, and commits its effects if it
  /// succeeds.
  ///
  /// Other jobs in the queue are not run, even of the same kind.
  public func run<Handler: JobHandler>(_ handler: Handler, _ payload: Handler.Payload) async throws -> TestRun
  {
    // A queue that no other job uses.
    let queue = "inline-\(UUID().uuidString.lowercased().prefix(8))"
    try await enqueue(handler.kind, payload: payload, queue: queue)
    guard let run = try await drain(handler, queues: [queue]).first else {
      throw NothingRan(kind: handler.kind)
    }
    return run
  }

  /// Runs all ready jobs of these handlers, and the jobs that those enqueue, until none is ready.
  ///
  /// Retries and deferred jobs wait for ``advance(by:)``.
  ///
  /// - Parameters:
  ///   - queues: the queues; nil for all queues with jobs.
  ///   - limit: maximum number of attempts; throws beyond it, since a chain of jobs may be endless.
  /// - Returns: the attempts in order.
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
      let attempts = try await InlineWorker(database, handlers: table).drain(queues: chosen, limit: limit)
      runs += attempts.map(TestRun.init)
      // A job may have enqueued one in a queue that was empty before.
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

/// A handler was to run, but no job of its kind could be claimed.
public struct NothingRan: Error, Sendable, CustomStringConvertible {
  /// The handler's kind.
  public let kind: String

  /// The message in the test's output.
  public var description: String { "no job of kind \(kind) could be claimed: is the kind paused or limited?" }
}

extension Logger {
  /// A logger without output.
  static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}
