internal import Synchronization

/// The running listeners of a database.
final class Listeners: Sendable {
  private struct State {
    var running: [ObjectIdentifier: Listener] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Adds a listener. Returns false after ``stopAll()``.
  func add(_ listener: Listener) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.running[ObjectIdentifier(listener)] = listener
      return true
    }
  }

  func remove(_ listener: Listener) {
    state.withLock { $0.running[ObjectIdentifier(listener)] = nil }
  }

  /// Stops all listeners and accepts no more. Returns when their connections are closed.
  func stopAll() async {
    let all = state.withLock { state in
      state.isClosed = true
      return Array(state.running.values)
    }
    for listener in all { listener.stop() }
    for listener in all { await listener.waitUntilEnded() }
  }
}
