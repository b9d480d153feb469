internal import Synchronization

/// The running listeners of a database.
final class Listeners: Sendable {
  private let running = Mutex<[ObjectIdentifier: Listener]>([:])

  func add(_ listener: Listener) {
    running.withLock { $0[ObjectIdentifier(listener)] = listener }
  }

  func remove(_ listener: Listener) {
    running.withLock { $0[ObjectIdentifier(listener)] = nil }
  }

  /// Stops all listeners. Returns when their connections are closed.
  func stopAll() async {
    let all = running.withLock { Array($0.values) }
    for listener in all { listener.stop() }
    for listener in all { await listener.waitUntilEnded() }
  }
}
