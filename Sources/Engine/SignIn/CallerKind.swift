package import Domain

/// The kind of credential of a request.
package enum CallerKind: String, Sendable, CaseIterable {
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

  package init(_ session: SessionKind) {
    self =
      switch session {
      case .browser: .browser
      case .mobile: .mobile
      case .visitor: .visitor
      case .guest: .guest
      }
  }
}
