package import Engine
package import FoundationEssentials

/// The sender of a request.
package struct Caller: Sendable {
  package let kind: CallerKind
  /// The acting context, with the credential and the request's id.
  package let acting: ActingContext
  /// The user.
  package let user: UUID
  /// The session; nil for a token.
  package let session: UUID?
  /// True if the person proved a password, an identity or a second factor in the last 15 minutes.
  package let isStrong: Bool

  package init(kind: CallerKind, acting: ActingContext, user: UUID, session: UUID?, isStrong: Bool = false) {
    self.kind = kind
    self.acting = acting
    self.user = user
    self.session = session
    self.isStrong = isStrong
  }
}
