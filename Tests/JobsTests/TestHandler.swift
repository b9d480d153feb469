import Domain
import Jobs
import Synchronization

/// A handler that is a closure.
struct TestHandler: JobHandler {
  /// Whatever the payload holds.
  typealias Payload = JSONObject

  let kind: String
  let body: @Sendable (JobContext) async throws -> JobEffects

  init(_ kind: String = "test.job", _ body: @escaping @Sendable (JobContext) async throws -> JobEffects) {
    self.kind = kind
    self.body = body
  }

  func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    try await body(context)
  }
}

extension HandlerTable {
  /// A table of closures.
  init(_ handlers: TestHandler...) {
    self.init()
    for handler in handlers { add(handler) }
  }
}

/// A door that handlers wait at until it is opened, or they are cancelled.
final class Door: Sendable {
  private let state = Mutex((isOpen: false, waiting: 0))

  /// How many have come to it.
  var arrivals: Int { state.withLock(\.waiting) }

  func open() { state.withLock { $0.isOpen = true } }

  func pass() async throws {
    state.withLock { $0.waiting += 1 }
    while !state.withLock(\.isOpen) { try await Task.sleep(for: .milliseconds(5)) }
  }
}
