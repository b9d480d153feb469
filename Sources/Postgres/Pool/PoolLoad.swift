/// The use of a connection pool at one moment.
///
/// `used + idle` is at most `size`; requests wait only if `used` equals `size` or their pool key has its maximum.
public struct PoolLoad: Sendable, Hashable {
  /// Connections in use.
  public let used: Int
  /// Open connections that are not in use.
  public let idle: Int
  /// Requests waiting for a connection.
  public let waiting: Int
  /// Maximum number of connections.
  public let size: Int
}
