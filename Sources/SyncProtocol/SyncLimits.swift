/// The limits of requests of the synchronisation protocol.
public enum SyncLimits {
  /// The most changes in a request.
  public static let mutations = 500
  /// The longest change in bytes.
  public static let mutationBytes = 262_144
  /// The most waiting changes that a device may describe in a request.
  public static let queued = 100
  /// The most waiting changes of a device that the server keeps descriptions of; further ones are only counted.
  public static let described = 1_000
  /// The most conflicts and refusals of a device that wait for a person; further ones are not judged before.
  public static let undecided = 1_000
  /// The most answers that a device may leave unconfirmed.
  public static let unconfirmed = 10_000
  /// The most changes in a page.
  public static let changes = 1_000
  /// The most numbers in a question which changes the server knows.
  public static let known = 10_000
  /// The longest request in bytes.
  public static let requestBytes = 1_048_576
}
