package import Domain
package import FoundationEssentials
internal import Store

/// The sender of a request, as the bearer of a credential. It has no rights: every transaction checks the credential again
/// and reads the rights.
package struct Caller: Sendable {
  /// The kind of credential.
  package enum Kind: String, Sendable, CaseIterable {
    /// A browser's session, in a cookie.
    case browser
    /// A mobile session's access token.
    case mobile
    /// A visitor who has not signed up.
    case visitor
    /// A guest of the demo.
    case guest
    /// An API token.
    case token
    /// A user whom an authenticating proxy names.
    case proxy

    init(_ session: SessionKind) {
      self =
        switch session {
        case .browser: .browser
        case .mobile: .mobile
        case .visitor: .visitor
        case .guest: .guest
        }
    }
  }

  package let kind: Kind
  /// The acting context, with the credential; of a request, with its id.
  package private(set) var acting: ActingContext
  /// The user.
  package let user: UUID
  /// The session; nil for other credentials.
  package let session: UUID?
  /// True if the person proved a password, an identity or a second factor in the 15 minutes before the request. A proxy
  /// proves it with each request.
  package private(set) var isStrong: Bool
  /// The time of the last proof of the person; nil if there was none.
  private let strongAt: Instant?

  package init(
    kind: Kind,
    acting: ActingContext,
    user: UUID,
    session: UUID? = nil,
    isStrong: Bool = false,
    strongAt: Instant? = nil
  ) {
    self.kind = kind
    self.acting = acting
    self.user = user
    self.session = session
    self.isStrong = isStrong
    self.strongAt = strongAt
  }

  /// The text that identifies the credential in tokens against forged requests.
  package var subject: String {
    switch acting.credential {
    case .session(let id, let generation): "session \(id.text) \(generation)"
    case .token(let id): "token \(id.text)"
    case nil: "proxy \(acting.company.id.text) \(user.text)"
    }
  }

  /// Returns the caller as the sender of one request.
  package func sending(_ requestID: UUID, at now: Instant) -> Caller {
    var sender = self
    sender.acting = acting.sending(requestID)
    sender.isStrong =
      kind == .proxy
      || strongAt.map { now.microseconds - $0.microseconds < SessionKind.strongSeconds * 1_000_000 } ?? false
    return sender
  }
}
