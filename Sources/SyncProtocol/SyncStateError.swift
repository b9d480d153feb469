/// An event that is not valid in the status of a change.
public struct SyncStateError: Error, Sendable, Hashable {
  /// The status, which the event did not change.
  public let status: SyncStatus
  /// The refused event.
  public let event: SyncItem.Event

  /// Creates the error of an event that was refused in a status.
  public init(status: SyncStatus, event: SyncItem.Event) {
    self.status = status
    self.event = event
  }

  /// The events that are valid in the status.
  public var allowed: [SyncItem.Event] { SyncItem.events(in: status) }
}

extension SyncStateError: CustomStringConvertible {
  /// One line without a full stop.
  public var description: String { "\(event.rawValue) is not possible: the item is \(status.rawValue)" }
}
