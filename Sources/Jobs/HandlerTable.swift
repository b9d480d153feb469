internal import Domain
internal import Store

/// The handlers of a worker, by kind.
///
/// A table is a value: changes after it was given to a ``Worker`` have no effect on that worker.
///
/// ```swift
/// var table = HandlerTable()
/// table.add(PrintHandler())
/// table.kinds  // ["letter.print"]
/// let worker = Worker(database: database, queue: JobQueue(database), handlers: table, logger: logger)
/// ```
package struct HandlerTable: Sendable {
  /// A handler without its type: decodes the payload of a job and runs it.
  struct Entry: Sendable {
    /// Runs one attempt. Throws ``JobFailure/permanent(_:)`` if the payload cannot be decoded.
    let run: @Sendable (JobSubject, JobContext) async throws -> JobEffects
    /// The time limit of an attempt; nil for the worker's default.
    let timeout: Duration?
    /// The maximum number of running jobs per company; nil for any number.
    let maxRunning: Int?
    /// True if the jobs run beside the slots.
    let waitsOutside: Bool

    init(
      timeout: Duration?,
      maxRunning: Int?,
      waitsOutside: Bool,
      run: @escaping @Sendable (JobSubject, JobContext) async throws -> JobEffects
    ) {
      self.timeout = timeout
      self.maxRunning = maxRunning
      self.waitsOutside = waitsOutside && maxRunning != nil
      self.run = run
    }
  }

  private var handlers: [String: Entry] = [:]

  /// Creates a table without handlers. A worker with this table claims nothing.
  package init() {}

  /// The kinds with a handler, in alphabetical order; a worker claims jobs of these kinds only.
  package var kinds: [String] { handlers.keys.sorted() }

  /// The time limits of attempts, by kind, for the handlers that set ``JobHandler/timeout``.
  var timeLimits: [String: Duration] { handlers.compactMapValues(\.timeout) }

  /// The maximum numbers of running jobs per company, by kind, for the handlers that set
  /// ``JobHandler/maxRunningPerCompany``.
  var companyLimits: [String: Int] { handlers.compactMapValues(\.maxRunning) }

  /// The kinds whose jobs run beside the slots.
  var outsideKinds: Set<String> { Set(handlers.filter(\.value.waitsOutside).keys) }

  /// Adds a handler. It replaces an earlier handler of the same kind.
  ///
  /// The table reads ``JobHandler/kind``, ``JobHandler/timeout`` and ``JobHandler/maxRunningPerCompany`` once,
  /// now. A job whose payload cannot be
  /// decoded as the handler's `Payload` is dead after that attempt, with the decoding error as the reason.
  package mutating func add<Handler: JobHandler>(_ handler: Handler) {
    let maxRunning = handler.maxRunningPerCompany
    handlers[handler.kind] = Entry(
      timeout: handler.timeout,
      maxRunning: maxRunning,
      waitsOutside: handler.waitsOutside
    ) { stored, context in
      let payload: Handler.Payload
      do {
        payload = try stored.payload.decoded(as: Handler.Payload.self)
      } catch {
        throw JobFailure.permanent("the payload cannot be read: \(error)")
      }
      return try await handler.run(payload, context: context)
    }
  }

  /// The handler of a kind; nil if there is none.
  subscript(kind: String) -> Entry? { handlers[kind] }
}
