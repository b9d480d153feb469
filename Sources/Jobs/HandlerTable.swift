internal import Domain
internal import Store

/// The handlers of a worker, by kind.
package struct HandlerTable: Sendable {
  typealias Run = @Sendable (JobSubject, JobContext) async throws -> JobEffects

  private var handlers: [String: Run] = [:]

  /// A table without handlers.
  package init() {}

  /// The kinds it can run; a worker claims no others.
  package var kinds: [String] { handlers.keys.sorted() }

  /// Adds a handler; the later of two for one kind wins.
  package mutating func add<Handler: JobHandler>(_ handler: Handler) {
    handlers[handler.kind] = { stored, context in
      let payload: Handler.Payload
      do {
        payload = try stored.payload.decoded(as: Handler.Payload.self)
      } catch {
        throw JobFailure.permanent("the payload cannot be read: \(error)")
      }
      return try await handler.run(payload, context: context)
    }
  }

  subscript(kind: String) -> Run? { handlers[kind] }
}
