internal import Domain
internal import Engine
internal import SignIn

extension IdentityProvider {
  /// Runs a step in which the provider is asked. If it does not answer, the error says so, and not that the database
  /// does not answer.
  func asked<Value>(_ step: () async throws -> Value) async throws -> Value {
    do {
      return try await step()
    } catch let error as DomainError where error.code == .unavailable {
      throw DomainError(
        .providerUnavailable,
        error.message,
        details: ["provider": .string(issuer.name)]
      )
    }
  }

  /// Returns the person whom the tokens in a body identify.
  func verified(by body: RequestMembers) async throws -> VerifiedIdentity {
    let token = try body.text("id_token", "idToken")
    let access = try body.optionalText("access_token", maximum: 16_384)
    return try await asked { try await verify(token, accessToken: access) }
  }
}
