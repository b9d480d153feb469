internal import Synchronization

/// State shared by the connections of one database. Safe on any thread.
final class Switches: Sendable {
  private let prepared: Atomic<Bool>
  private let suspected = Atomic<Int>(0)

  init(prepares: Bool) {
    prepared = Atomic(prepares)
  }

  /// False if statements are not kept prepared: by configuration, or behind a pooler that gives each
  /// transaction another server process.
  var prepares: Bool { prepared.load(ordering: .relaxed) }

  /// Number of connections found dead without an error from the socket.
  var suspicions: Int { suspected.load(ordering: .acquiring) }

  /// Marks all present connections for replacement before their next use.
  func suspectConnections() { suspected.add(1, ordering: .acquiringAndReleasing) }

  /// Turns prepared statements off for all connections.
  func stopPreparing() {
    prepared.store(false, ordering: .relaxed)
  }
}
