internal import Synchronization

/// State shared by the connections of one database.
final class Switches: Sendable {
  private let prepared: Atomic<Bool>
  private let suspected = Atomic<Int>(0)

  init(prepares: Bool) {
    prepared = Atomic(prepares)
  }

  /// False behind a pooler that gives each transaction another server process.
  var prepares: Bool { prepared.load(ordering: .relaxed) }

  /// How many connections have been found dead without an error from the socket.
  var suspicions: Int { suspected.load(ordering: .acquiring) }

  /// Makes the pool replace connections that are idle now.
  func suspectConnections() { suspected.add(1, ordering: .acquiringAndReleasing) }

  func stopPreparing() {
    prepared.store(false, ordering: .relaxed)
  }
}
