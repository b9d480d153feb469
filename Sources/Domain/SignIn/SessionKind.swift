/// A kind of session, which determines its limits.
package enum SessionKind: String, Sendable, Codable, CaseIterable {
  /// A person in a browser, with a cookie.
  case browser
  /// A person on a device, with access and refresh tokens.
  case mobile
  /// A person without an account, in a company of their own.
  case visitor
  /// The guest of the demo company, who can only read.
  case guest

  /// The time after which the access token of a mobile session must be refreshed, in seconds: 15 minutes. For the
  /// other kinds, the whole life of the session.
  package var accessSeconds: Int32 { self == .mobile ? 15 * 60 : lifeSeconds }

  /// The time without use after which the session ends, in seconds: 12 hours in a browser and for guests, 60 days
  /// without a refresh on a device, 30 days for visitors.
  package var idleSeconds: Int32 {
    switch self {
    case .browser, .guest: 12 * 3_600
    case .mobile: 60 * 86_400
    case .visitor: 30 * 86_400
    }
  }

  /// The time after which the session ends in any case, in seconds: 30 days in a browser, a year on a device, 90
  /// days for visitors, a day for guests.
  package var lifeSeconds: Int32 {
    switch self {
    case .browser: 30 * 86_400
    case .mobile: 365 * 86_400
    case .visitor: 90 * 86_400
    case .guest: 86_400
    }
  }

  /// The time after a proof of the person in which sensitive changes are accepted, in seconds: 15 minutes.
  package static let strongSeconds: Int64 = 15 * 60
}
