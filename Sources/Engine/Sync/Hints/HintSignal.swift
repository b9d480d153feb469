package import FoundationEssentials

/// A signal for a client that waits.
package enum HintSignal: Sendable, Hashable {
  /// The company may have changes for the client's device.
  case hint
  /// Nothing happened; the stream shows that it is alive.
  case comment
  /// The wait is over: its time has passed, its credential ended, a newer request of the device replaced it, or the
  /// server stops.
  case end
}

/// A client that waits for hints.
package struct HintClient: Sendable {
  /// Why a client waits.
  package enum Purpose: Sendable, Hashable {
    /// A stream of events.
    case stream
    /// One request of a device, answered at the first hint. A newer one of the same device ends it.
    case request(device: UUID)
  }

  package let company: UUID
  package let user: UUID
  /// The session; nil for a caller without one.
  package let session: UUID?
  package let purpose: Purpose

  package init(company: UUID, user: UUID, session: UUID?, purpose: Purpose) {
    self.company = company
    self.user = user
    self.session = session
    self.purpose = purpose
  }
}
