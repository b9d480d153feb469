extension Issuer {
  /// The providers whose addresses and peculiarities are built in.
  package enum Known: String, Sendable, CaseIterable {
    case google
    case apple

    /// The `iss` of the provider's tokens.
    package var issuer: String {
      switch self {
      case .google: "https://accounts.google.com"
      case .apple: "https://appleid.apple.com"
      }
    }

    var label: String {
      switch self {
      case .google: "Google"
      case .apple: "Apple"
      }
    }

    /// Google's tokens for Android name the issuer without a scheme.
    var aliases: [String] { self == .google ? ["accounts.google.com"] : [] }

    var algorithms: Set<Algorithm> { [.rs256] }

    var scopes: [String] { self == .google ? ["openid", "email", "profile"] : ["openid", "email", "name"] }

    var answersByForm: Bool { self == .apple }
  }
}
