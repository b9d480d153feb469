/// Where a change stands that was queued on a device, as device and server both see it.
package enum SyncStatus: String, Sendable, Codable, CaseIterable {
  /// Waiting to be sent.
  case pending
  /// Being sent.
  case uploading
  /// The server has it.
  case synced
  /// The server has something else; a person decides.
  case conflict
  /// The server will not take it, or could not be asked often enough.
  case failed
  /// A person decided a conflict.
  case resolved
}

/// One change queued on a device: a pure machine that never drops it silently.
package struct SyncItem: Sendable, Hashable, Codable {
  /// Where it stands.
  package private(set) var status: SyncStatus
  /// How many attempts failed since it was queued or retried by hand; never more than the limit.
  package private(set) var attempts: Int
  /// How many failed attempts it takes to give up.
  package let maximumAttempts: Int

  /// What can happen to it.
  package enum Event: String, Sendable, Codable, CaseIterable {
    /// Sending begins.
    case upload
    /// The server has it, as it was or merged.
    case acknowledge
    /// The server's version differs.
    case conflict
    /// Sending failed in a way that may pass: no network, the server is busy.
    case fail
    /// The server refused it for good.
    case reject
    /// The app was started anew; whatever was being sent is unknown.
    case restart
    /// A person asks for another try.
    case retry
    /// A person decided a conflict.
    case resolve
  }

  /// A change that was just queued; three attempts unless told.
  package init(maximumAttempts: Int = 3) {
    self.init(status: .pending, attempts: 0, maximumAttempts: maximumAttempts)
  }

  /// A change as it was stored.
  package init(status: SyncStatus, attempts: Int, maximumAttempts: Int = 3) {
    self.maximumAttempts = max(1, maximumAttempts)
    self.status = status
    self.attempts = min(max(0, attempts), self.maximumAttempts)
  }

  /// Moves on, or refuses without changing anything.
  ///
  /// A restart is possible in every status and moves only what was being sent; it is no failed attempt, since
  /// nobody knows whether the server has the change, and sending it again under its number is harmless.
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

  /// What can happen in a status.
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
