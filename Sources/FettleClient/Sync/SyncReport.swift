/// The outcome of a synchronisation.
public struct SyncReport: Sendable, Hashable {
  /// The number of changes that the server applied, as sent or merged.
  public internal(set) var applied = 0
  /// The number of changes that the server found in conflict.
  public internal(set) var conflicts = 0
  /// The number of changes and files that the server refused.
  public internal(set) var failed = 0
  /// The number of files that were sent.
  public internal(set) var files = 0
  /// The number of changes and files that still wait; ``Client/waiting`` says for what.
  public internal(set) var waiting = 0
  /// The number of changes of others that were received.
  public internal(set) var received = 0

  /// Creates an empty report.
  public init() {}
}
