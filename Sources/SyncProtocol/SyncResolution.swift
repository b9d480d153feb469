/// The decision of a person about a change that waits.
public enum SyncResolution: String, Sendable, Codable, CaseIterable {
  /// The server's record stays as it is; the change is given up.
  case server
  /// The change is applied to the record as it is now.
  case mine
  /// Those fields of the change are applied that are not in conflict.
  case merge
  /// The change is given up, whatever the server has.
  case discard

  /// True if the decision gives up the change.
  public var isGivingUp: Bool { self == .server || self == .discard }

  /// The event that the decision is for a change: a failed change can only be given up.
  public func event(in status: SyncStatus) -> SyncItem.Event {
    self == .discard || status == .failed ? .discard : .resolve
  }
}
