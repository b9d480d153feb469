/// The use of a connection pool at one moment.
///
/// ```swift
/// let load = database.load
/// logger.info("\(load.used) of \(load.size) connections used, \(load.waiting) tasks waiting")
/// ```
///
/// `used + idle` is at most `size`; requests wait only if `used` equals `size` or their pool key has its
/// maximum.
public struct PoolLoad: Sendable, Hashable {
  /// Connections in use, including those being opened.
  public let used: Int
  /// Connections that are not in use. One that broke is counted too; it reconnects at its next use.
  public let idle: Int
  /// Requests waiting for a connection, including those that wait for the share of their pool key.
  public let waiting: Int
  /// Maximum number of connections; ``Database/Configuration/poolSize``.
  public let size: Int
}
