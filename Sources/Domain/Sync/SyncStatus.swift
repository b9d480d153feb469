/// The status of a change queued on a device, shared by device and server.
package enum SyncStatus: String, Sendable, Codable, CaseIterable {
  /// Waiting to be sent.
  case pending
  /// Being sent.
  case uploading
  /// Stored by the server.
  case synced
  /// In conflict with the server's version; a user decides.
  case conflict
  /// Refused by the server, or failed on its last attempt.
  case failed
  /// A conflict resolved by a user.
  case resolved
}

/// A change queued on a device, as a pure state machine that never drops it silently.
package struct SyncItem: Sendable, Hashable, Codable {
  /// The current status.
  package private(set) var status: SyncStatus
  /// The number of failed attempts since the change was queued or retried manually; at most the limit.
  package private(set) var attempts: Int
  /// The number of failed attempts after which it fails.
  package let maximumAttempts: Int

  /// The events of the machine.
  package enum Event: String, Sendable, Codable, CaseIterable {
    /// Sending begins.
    case upload
    /// The server stored the change, as sent or merged.
    case acknowledge
    /// The server's version conflicts.
    case conflict
    /// Sending failed temporarily: no network, or the server is busy.
    case fail
    /// The server refused it permanently.
    case reject
    /// The app restarted; the result of a running upload is unknown.
    case restart
    /// A user requests another attempt.
    case retry
    /// A user resolved a conflict.
    case resolve
  }

  /// Creates a newly queued change, with three attempts by default.
  package init(maximumAttempts: Int = 3) {
    self.init(status: .pending, attempts: 0, maximumAttempts: maximumAttempts)
  }

  /// Creates a change from stored values.
  package init(status: SyncStatus, attempts: Int, maximumAttempts: Int = 3) {
    self.maximumAttempts = max(1, maximumAttempts)
    self.status = status
    self.attempts = min(max(0, attempts), self.maximumAttempts)
  }

  /// Applies an event, or refuses it without any change.
  ///
  /// A restart is valid in every status and changes only `uploading`. It does not count as a failed attempt:
  /// the server may or may not have the change, and sending it again with the same number is harmless.
  package mutating func apply(_ event: Event) throws(DomainError) {
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
    case (.failed, .retry):
      attempts = 0
      status = .pending
    case (.conflict, .resolve): status = .resolved
    default:
      let allowed = Self.events(in: status).map(\.rawValue)
      throw DomainError(
        .wrongState,
        "\(event.rawValue) is not possible: the item is \(status.rawValue)",
        hint: "Allowed now: \(allowed.joined(separator: ", ")).",
        details: ["status": .string(status.rawValue), "allowed": .strings(allowed)]
      )
    }
  }

  /// Returns the valid events of a status.
  package static func events(in status: SyncStatus) -> [Event] {
    switch status {
    case .pending: [.upload, .restart]
    case .uploading: [.acknowledge, .conflict, .fail, .reject, .restart]
    case .synced, .resolved: [.restart]
    case .conflict: [.restart, .resolve]
    case .failed: [.restart, .retry]
    }
  }
}
