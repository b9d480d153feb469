/// How a pool is used at a moment.
public struct PoolLoad: Sendable, Hashable {
  /// Connections in somebody's hands.
  public let used: Int
  /// Connections that are open and that nobody uses.
  public let idle: Int
  /// Who waits for one.
  public let waiting: Int
  /// How many connections there may be.
  public let size: Int
}
