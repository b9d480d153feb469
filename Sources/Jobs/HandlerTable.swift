internal import Domain
internal import Store

/// The handlers of a worker, by kind.
package struct HandlerTable: Sendable {
  /// Runs the jobs of a kind.
  struct Entry: Sendable {
    let run: @Sendable (JobSubject, JobContext) async throws -> JobEffects
    /// The maximum time of an attempt; nil for the worker's default.
    let timeout: Duration?

    init(
      timeout: Duration?,
      run: @escaping @Sendable (JobSubject, JobContext) async throws -> JobEffects
    ) {
      self.timeout = timeout
      self.run = run
    }
  }

  private var handlers: [String: Entry] = [:]

  /// A table without handlers.
  package init() {}

  /// The kinds with a handler; a worker claims no others.
  package var kinds: [String] { handlers.keys.sorted() }

  /// The time limits of attempts, by kind, of handlers that have their own.
  var timeLimits: [String: Duration] { handlers.compactMapValues(\.timeout) }

  /// Adds a handler; it replaces an earlier one for the same kind.
  package mutating func add<Handler: JobHandler>(_ handler: Handler) {
    handlers[handler.kind] = Entry(timeout: handler.timeout) { stored, context in
      let payload: Handler.Payload
      do {
        payload = try stored.payload.decoded(as: Handler.Payload.self)
      } catch {
        throw JobFailure.permanent("the payload cannot be read: \(error)")
      }
      return try await handler.run(payload, context: context)
    }
  }

  subscript(kind: String) -> Entry? { handlers[kind] }
}
