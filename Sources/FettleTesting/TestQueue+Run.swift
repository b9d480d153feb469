public import FoundationEssentials
public import Jobs
internal import Logging
internal import Store

/// What became of an attempt at a job.
public struct TestRun: Sendable, Hashable {
  /// How it ended.
  public enum Outcome: Sendable, Hashable {
    case succeeded
    /// It is tried again after the time.
    case failed(String, retryAfter: Duration)
    /// It is not tried again.
    case dead(String)
    /// It was put off, and the attempt does not count.
    case snoozed(Duration, String?)
    /// The test took its lease away meanwhile: nothing was written.
    case lost
  }

  /// Something that it told.
  public struct Note: Sendable, Hashable {
    /// How much of it was done, from 0 to 1.
    public let done: Double?
    /// What it said.
    public let text: String?

    /// Progress, a text, or both.
    public init(done: Double? = nil, text: String? = nil) {
      self.done = done
      self.text = text
    }
  }

  /// The job's key.
  public let id: UUID
  /// Which handler ran it.
  public let kind: String
  /// Which attempt it was, from 1.
  public let attempt: Int
  /// What became of it.
  public let outcome: Outcome
  /// What it told, in order.
  public let notes: [Note]
}

extension TestQueue {
  /// Runs a handler with a payload, as the first attempt at a job of its own, and commits its effects if it succeeds.
  ///
  /// Jobs that wait in the queue are left alone, those of its kind too.
  public func run<Handler: JobHandler>(_ handler: Handler, _ payload: Handler.Payload) async throws -> TestRun
  {
    // A queue that nobody else has.
    let queue = "inline-\(UUID().uuidString.lowercased().prefix(8))"
    try await enqueue(handler.kind, payload: payload, queue: queue)
    guard let run = try await drain(handler, queues: [queue]).first else {
      throw NothingRan(kind: handler.kind)
    }
    return run
  }

  /// Runs all jobs that are ready and that these handle, and the jobs which those enqueue, until there are none.
  ///
  /// What is to be tried again, or runs later, waits until ``advance(by:)`` lets its time come.
  ///
  /// - Parameters:
  ///   - queues: of which; nil: of all that have jobs.
  ///   - limit: after so many attempts it throws: mostly there is a chain without an end.
  /// - Returns: the attempts, in the order in which they were made.
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
      // A job may have enqueued another one in a queue that had none.
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

/// A handler was to be run, and no job of its kind came.
public struct NothingRan: Error, Sendable, CustomStringConvertible {
  /// The handler's kind.
  public let kind: String

  /// What is wrong, for the test's output.
  public var description: String { "no job of kind \(kind) could be claimed: is the kind paused or limited?" }
}

extension Logger {
  /// Says nothing.
  static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}
