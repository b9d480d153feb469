import API
import Domain
import Synchronization

/// Events that the test sends to the last client.
final class TestEvents: EventSource {
  private struct State {
    var send: (@Sendable ([UInt8]?) -> Void)?
    var isRefusing = false
  }

  private let state = Mutex(State())

  /// True while a client listens.
  var isOpen: Bool { state.withLock { $0.send != nil } }

  /// Refuses further clients.
  func refuse() { state.withLock { $0.isRefusing = true } }

  func answer() throws -> APIAnswer {
    guard state.withLock({ !$0.isRefusing }) else {
      throw DomainError(.rateLimited, "too many", details: ["limit": "streams", "retry_after": 30])
    }
    return APIAnswer(headers: ["content-type": "text/event-stream"], body: .events(self))
  }

  func start(_ send: @escaping @Sendable ([UInt8]?) -> Void) {
    state.withLock { $0.send = send }
    send(Array("first".utf8))
  }

  func stop() { state.withLock { $0.send = nil } }

  /// Sends an event; nil ends the stream.
  func send(_ text: String?) {
    let send = state.withLock(\.send)
    send?(text.map { Array($0.utf8) })
  }
}
