internal import Values

/// A way to sign in.
public struct SignIn: Sendable {
  /// The result of a step.
  public enum Result: Sendable, Hashable {
    /// The user is signed in.
    case signedIn
    /// A second factor is required: sign in with ``SignIn/secondFactor(stepToken:code:)``.
    case secondFactor(stepToken: String)
  }

  let path: String
  var members: [String: FieldValue]

  /// True if the way leads to an account, which takes over what a visitor has done on this device.
  var claims: Bool { path != Self.visitorPath }

  private static let visitorPath = "/v1/auth/visitor"

  /// Signs in with an address and a password.
  public static func password(email: String, password: String) -> SignIn {
    SignIn(path: "/v1/auth/sign-in", members: ["email": .string(email), "password": .string(password)])
  }

  /// Completes a sign-in with a code of the second factor, or a recovery code.
  public static func secondFactor(stepToken: String, code: String) -> SignIn {
    SignIn(
      path: "/v1/auth/second-factor",
      members: ["step_token": .string(stepToken), "code": .string(code)]
    )
  }

  /// Creates an account that joins the company of an invite code; without a code, with a personal company.
  public static func newAccount(email: String, name: String, password: String, code: String? = nil) -> SignIn
  {
    var members: [String: FieldValue] = [
      "email": .string(email), "name": .string(name), "password": .string(password),
    ]
    if let code { members["code"] = .string(code) }
    return SignIn(path: "/v1/auth/sign-up", members: members)
  }

  /// Signs in with the ID token of an identity provider, such as `apple`.
  ///
  /// - Parameter nonce: the nonce of the server, if the token has only its hash.
  public static func identity(provider: String, idToken: String, nonce: String? = nil) -> SignIn {
    var members: [String: FieldValue] = ["id_token": .string(idToken)]
    if let nonce { members["nonce"] = .string(nonce) }
    return SignIn(path: "/v1/auth/\(provider.percentEncoded)", members: members)
  }

  /// Begins without an account, in a personal company. A later sign-in, or a new account, takes the company over with
  /// everything in it, and the device goes on with what waits.
  public static func visitor(timeZone: String = "UTC") -> SignIn {
    SignIn(path: visitorPath, members: ["timezone": .string(timeZone)])
  }

  /// Enters this company. Without it, the company that was used last is entered.
  public func entering(company: String) -> SignIn {
    var copy = self
    copy.members["company"] = .string(company)
    return copy
  }
}
