/// The status of a change in a device's queue, with the same meaning on device and server.
public enum SyncStatus: String, Sendable, Codable, CaseIterable {
  /// Waiting to be sent.
  case pending
  /// Being sent.
  case uploading
  /// Stored by the server.
  case synced
  /// In conflict with the server's version; waits for a user's decision.
  case conflict
  /// Refused by the server, or failed on the last attempt.
  case failed
  /// A user resolved the conflict, or gave up the change.
  case resolved

  /// True if the change waits for the network or for a user: an app that drops it loses work.
  public var isOpen: Bool { self != .synced && self != .resolved }
}
