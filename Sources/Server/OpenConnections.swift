internal import NIOCore
internal import Synchronization

/// The open connections of an endpoint, at most a given number.
///
/// The oldest connection gives way to a new one, so that idle clients cannot keep a health check out.
final class OpenConnections: Sendable {
  private let limit: Int
  /// The open connections, oldest first.
  private let channels = Mutex<[any Channel]>([])

  /// - Parameter limit: the maximum number of connections, at least 1.
  init(limit: Int) { self.limit = limit }

  /// Adds a connection.
  ///
  /// - Returns: the connection to close; nil if there are not too many.
  func add(_ channel: any Channel) -> (any Channel)? {
    channels.withLock { channels in
      channels.append(channel)
      return channels.count > limit ? channels.removeFirst() : nil
    }
  }

  /// Removes a closed connection.
  func remove(_ channel: any Channel) {
    channels.withLock { $0.removeAll { $0 === channel } }
  }
}
