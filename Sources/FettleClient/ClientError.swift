public import SyncProtocol

/// A failure of the client, with its kind, a message and a hint.
public struct ClientError: Error, Sendable, Hashable {
  /// The kinds of failures.
  public enum Kind: Sendable, Hashable {
    /// The server cannot be reached. Nothing was sent.
    case offline
    /// The request was sent, and no answer came. The server may have got it.
    case unanswered
    /// The server is busy or failed; try later.
    case unavailable
    /// Nobody is signed in, or the session has ended. The store and the queue are kept.
    case signedOut
    /// The sign-in was refused, or needs a second factor that was not given.
    case signInRefused
    /// Somebody else is signed in on this device, and changes wait.
    case otherAccount(unsynced: Int)
    /// Changes wait that a sign-out would lose.
    case unsynced(Int)
    /// The server refuses this device from now on. The queue is kept.
    case deviceRevoked
    /// Another device sends changes under this device's id: the store was copied. The changes that were not sent yet
    /// moved to a new device id, and are sent by the next synchronisation.
    case deviceCloned
    /// The server requires a later version of the app.
    case outdated
    /// The record is not on this device.
    case unknownRecord
    /// The record is deleted.
    case recordDeleted
    /// There is no such change or file on this device.
    case unknownChange
    /// The event is not possible in the status of the change.
    case wrongState(SyncStatus)
    /// The value is not valid.
    case invalidInput
    /// The server refused the request, with a code such as `forbidden`.
    case refused(code: String)
    /// The answer of the server cannot be understood.
    case invalidAnswer
    /// The store on this device cannot be read or written.
    case store
  }

  /// The kind of the failure.
  public let kind: Kind
  /// One line without a full stop: what failed, and why.
  public let message: String
  /// The action that helps; nil if there is none.
  public let hint: String?
  /// The pause that the server asks for; nil if it asks for none.
  public let retryAfter: Duration?

  /// Creates an error.
  public init(_ kind: Kind, _ message: String, hint: String? = nil, retryAfter: Duration? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.retryAfter = retryAfter
  }

  /// True if the same attempt may succeed later.
  public var isTemporary: Bool {
    switch kind {
    case .offline, .unanswered, .unavailable: true
    default: false
    }
  }
}

extension ClientError: CustomStringConvertible {
  /// The message, and the hint on a second line.
  public var description: String { hint.map { "\(message)\nhint: \($0)" } ?? message }
}

extension ClientError {
  /// The error of an event that the status of a change does not allow.
  init(_ error: SyncStateError, change: String) {
    let allowed = error.allowed.filter { $0 != .restart }.map(\.rawValue)
    self.init(
      .wrongState(error.status),
      "\(error.event.rawValue) is not possible: change \(change) is \(error.status.rawValue)",
      hint: allowed.isEmpty ? nil : "possible now: \(allowed.joined(separator: ", "))"
    )
  }
}
