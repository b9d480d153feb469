internal import Engine
internal import Synchronization

/// The events of one client, as text of the format of server-sent events.
final class HintStream: EventSource {
  /// An event needs data, or browsers drop it.
  private static let hint = Array("event: hint\ndata: {}\n\n".utf8)
  private static let comment = Array(": \n\n".utf8)

  private struct State {
    var number: Int?
    /// Nil before the start and after the end.
    var send: (@Sendable ([UInt8]?) -> Void)?
    var isEnded = false
  }

  private let hub: HintHub
  private let state = Mutex(State())

  /// Opens the stream.
  ///
  /// - Throws: the errors of ``HintHub/open(_:_:)``.
  init(_ hub: HintHub, _ client: HintClient) throws {
    self.hub = hub
    // Weak, so that the stream ends when the connection releases it.
    let number = try hub.open(client) { [weak self] signal in self?.receive(signal) }
    state.withLock { $0.number = number }
  }

  deinit { stop() }

  /// Sends the first hint at once: the client may have missed changes before.
  func start(_ send: @escaping @Sendable ([UInt8]?) -> Void) {
    let isEnded = state.withLock { state in
      if !state.isEnded { state.send = send }
      return state.isEnded
    }
    send(Self.hint)
    if isEnded { send(nil) }
  }

  func stop() {
    let number = state.withLock { state in
      defer { state = State(isEnded: true) }
      return state.number
    }
    if let number { hub.leave(number) }
  }

  private func receive(_ signal: HintSignal) {
    let send = state.withLock { state in
      defer { if signal == .end { state = State(isEnded: true) } }
      return state.send
    }
    switch signal {
    case .hint: send?(Self.hint)
    case .comment: send?(Self.comment)
    case .end: send?(nil)
    }
  }
}
