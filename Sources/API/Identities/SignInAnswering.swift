internal import Domain
package import Engine

/// The spelling of the members of an answer.
package enum MemberSpelling: Sendable {
  /// `access_token`, as everywhere in the API.
  case snake
  /// `accessToken`, as the clients of the first apps expect.
  case camel
}

/// Reads the description of the client at sign-in, and turns the result into cookies or tokens. All kinds of
/// sign-in share it.
package protocol SignInAnswering: Sendable {
  /// The members of a sign-in's body that describe the client and the company to enter.
  var members: [Schema.Member] { get }

  /// The answers of a sign-in for the document.
  var results: [Operation.Answer] { get }

  /// Returns the choices in a body.
  ///
  /// - Throws: `invalid_input`.
  func choices(_ request: APIRequest) throws -> SignInRequest

  /// Returns the choices of a browser that comes from an identity provider.
  func browserChoices(_ request: APIRequest) -> SignInRequest

  /// Returns the answer of a sign-in by a JSON body.
  func answer(_ result: SignInResult, _ request: APIRequest, spelling: MemberSpelling) throws -> APIAnswer

  /// Returns an answer with the cookie of a browser's session; without one if the second factor is missing.
  func browserAnswer(_ result: SignInResult, _ request: APIRequest) throws -> APIAnswer
}
