internal import Domain
package import Engine

/// The spelling of the members of an answer.
package enum MemberSpelling: Sendable {
  /// `access_token`, as everywhere in the API.
  case snake
  /// `accessToken`, as the clients of the first apps expect.
  case camel
}

/// The steps of a sign-in whose bodies describe the client and the company to enter.
package enum SignInStep: Sendable {
  /// The proof of the person, such as a password.
  case first
  /// The second factor. Its `code` is that of the authenticator app.
  case secondFactor

  /// The member with an invite code.
  package var inviteMember: String { self == .first ? "code" : "invite_code" }
}

/// Reads the description of the client at sign-in, and turns the result into cookies or tokens. All kinds of
/// sign-in share it.
package protocol SignInAnswering: Sendable {
  /// Returns the members of a step's body that describe the client and the company to enter.
  func members(of step: SignInStep) -> [Schema.Member]

  /// The answers of a sign-in for the document.
  var results: [Operation.Answer] { get }

  /// Returns the choices in the body of a step.
  ///
  /// - Throws: `invalid_input`.
  func choices(_ request: APIRequest, of step: SignInStep) throws -> SignInRequest

  /// Returns the choices of a browser that comes from an identity provider.
  ///
  /// - Parameter isApp: true for an app in the browser, which keeps its refresh token in a cookie.
  func browserChoices(_ request: APIRequest, isApp: Bool) -> SignInRequest

  /// Returns the answer of a sign-in by a JSON body.
  func answer(_ result: SignInResult, _ request: APIRequest, spelling: MemberSpelling) throws -> APIAnswer

  /// Returns an answer with the cookie of a browser's session, or of an app's refresh token; without one if the second
  /// factor is missing.
  func browserAnswer(_ result: SignInResult, _ request: APIRequest) throws -> APIAnswer
}

extension SignInAnswering {
  /// Returns the choices of a browser's own session.
  package func browserChoices(_ request: APIRequest) -> SignInRequest {
    browserChoices(request, isApp: false)
  }
}
