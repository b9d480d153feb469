package import Domain
package import Jobs
internal import Synchronization

/// A handler that is a closure.
package struct TestHandler: JobHandler {
  /// Accepts any payload.
  package typealias Payload = JSONObject

  package let kind: String
  package let body: @Sendable (JobContext) async throws -> JobEffects

  package init(
    _ kind: String = "test.job",
    _ body: @escaping @Sendable (JobContext) async throws -> JobEffects
  ) {
    self.kind = kind
    self.body = body
  }

  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    try await body(context)
  }
}

extension HandlerTable {
  /// A table of closures.
  package init(_ handlers: TestHandler...) {
    self.init()
    for handler in handlers { add(handler) }
  }
}

/// A barrier at which handlers wait until it is opened or they are cancelled.
package final class Barrier: Sendable {
  private let state = Mutex((isOpen: false, waiting: 0))

  package init() {}

  /// The number of arrivals.
  package var arrivals: Int { state.withLock(\.waiting) }

  package func open() { state.withLock { $0.isOpen = true } }

  package func pass() async throws {
    state.withLock { $0.waiting += 1 }
    while !state.withLock(\.isOpen) { try await Task.sleep(for: .milliseconds(5)) }
  }
}
