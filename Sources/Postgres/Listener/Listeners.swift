internal import Synchronization

/// The listeners of a database, so that closing it ends them.
final class Listeners: Sendable {
  private let running = Mutex<[ObjectIdentifier: Listener]>([:])

  func add(_ listener: Listener) {
    running.withLock { $0[ObjectIdentifier(listener)] = listener }
  }

  func remove(_ listener: Listener) {
    running.withLock { $0[ObjectIdentifier(listener)] = nil }
  }

  func stopAll() {
    for listener in running.withLock({ Array($0.values) }) { listener.stop() }
  }
}
