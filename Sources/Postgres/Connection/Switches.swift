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

  /// The number of connections found dead without an error from the socket.
  var suspicions: Int { suspected.load(ordering: .acquiring) }

  /// Marks connections that are idle now for replacement by the pool.
  func suspectConnections() { suspected.add(1, ordering: .acquiringAndReleasing) }

  func stopPreparing() {
    prepared.store(false, ordering: .relaxed)
  }
}
