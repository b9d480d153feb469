/// A change in a device's queue, as a state machine. No event removes the change.
public struct SyncItem: Sendable, Hashable, Codable {
  /// The current status.
  public private(set) var status: SyncStatus
  /// The number of failed attempts since the change was queued or retried by a user, 0 to
  /// ``maximumAttempts``.
  public private(set) var attempts: Int
  /// The number of failed attempts after which the status is `failed`, at least 1.
  public let maximumAttempts: Int

  /// The events that change the status.
  public enum Event: String, Sendable, Codable, CaseIterable {
    /// The device starts to send the change.
    case upload
    /// The server has stored the change, as sent or merged.
    case acknowledge
    /// The server reports a conflict with its version.
    case conflict
    /// The change was sent, and no answer came. A busy server is no failed attempt, see ``restart``.
    case fail
    /// The server refuses the change permanently.
    case reject
    /// The app restarts, or the server cannot judge now. The change waits as before.
    case restart
    /// A user has a change judged again that failed or is in conflict, such as after its cause was removed.
    case retry
    /// A user resolves a conflict.
    case resolve
    /// A user gives up a change that is in conflict or failed.
    case discard
  }

  /// Creates a pending change without failed attempts.
  public init(maximumAttempts: Int = 3) {
    self.init(status: .pending, attempts: 0, maximumAttempts: maximumAttempts)
  }

  /// Creates a change from stored values. Numbers out of range are clamped.
  public init(status: SyncStatus, attempts: Int, maximumAttempts: Int = 3) {
    self.maximumAttempts = max(1, maximumAttempts)
    self.status = status
    self.attempts = min(max(0, attempts), self.maximumAttempts)
  }

  /// Applies an event.
  ///
  /// `restart` is valid in every status. It returns `uploading` to `pending`, and changes no other status. It
  /// does not count as a failed attempt: the server may have the change already, and ignores it when it is
  /// sent again with the same number.
  ///
  /// - Throws: ``SyncStateError``; then nothing is changed.
  public mutating func apply(_ event: Event) throws(SyncStateError) {
    switch (status, event) {
    case (.pending, .upload): status = .uploading
    case (.uploading, .acknowledge): status = .synced
    case (.uploading, .conflict): status = .conflict
    case (.uploading, .reject): status = .failed
    case (.uploading, .fail):
      attempts += 1
      status = attempts >= maximumAttempts ? .failed : .pending
    case (.uploading, .restart): status = .pending
    case (_, .restart): break
    case (.failed, .retry), (.conflict, .retry):
      attempts = 0
      status = .pending
    case (.conflict, .resolve), (.conflict, .discard), (.failed, .discard): status = .resolved
    default:
      throw SyncStateError(status: status, event: event)
    }
  }

  /// Returns the events that are valid in a status.
  public static func events(in status: SyncStatus) -> [Event] {
    switch status {
    case .pending: [.upload, .restart]
    case .uploading: [.acknowledge, .conflict, .fail, .reject, .restart]
    case .synced, .resolved: [.restart]
    case .conflict: [.restart, .retry, .resolve, .discard]
    case .failed: [.restart, .retry, .discard]
    }
  }
}
