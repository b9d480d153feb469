internal import Synchronization

/// What the connections of one database find out and tell each other.
final class Switches: Sendable {
  private let prepared: Atomic<Bool>

  init(prepares: Bool) {
    prepared = Atomic(prepares)
  }

  /// False behind a pooler that gives every transaction another server process.
  var prepares: Bool { prepared.load(ordering: .relaxed) }

  func stopPreparing() {
    prepared.store(false, ordering: .relaxed)
  }
}
