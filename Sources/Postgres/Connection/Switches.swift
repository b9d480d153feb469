internal import Synchronization

/// What the connections of one database find out and tell each other.
final class Switches: Sendable {
  private let prepared: Atomic<Bool>
  private let suspected = Atomic<Int>(0)

  init(prepares: Bool) {
    prepared = Atomic(prepares)
  }

  /// False behind a pooler that gives every transaction another server process.
  var prepares: Bool { prepared.load(ordering: .relaxed) }

  /// How often a connection was given up that gave no sign of being dead.
  var suspicions: Int { suspected.load(ordering: .acquiring) }

  /// Has connections replaced that lie idle.
  func suspectConnections() { suspected.add(1, ordering: .acquiringAndReleasing) }

  func stopPreparing() {
    prepared.store(false, ordering: .relaxed)
  }
}
