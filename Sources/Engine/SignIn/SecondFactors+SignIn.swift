package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension SecondFactors {
  /// A second step of a sign-in that succeeded.
  package struct Passed: Sendable {
    package let user: UUID
    /// True if a recovery code took the place of the second factor.
    package let isRecovery: Bool
    /// The choices of the first step, for ``SignInRequest/completed(by:)``.
    package let choices: JSONObject
  }

  /// Checks a code of the authenticator app, or a recovery code, for the step token of a sign-in, and uses both up.
  ///
  /// Five codes may be tried with a token, and ten with all tokens of a user in 15 minutes. Refusals are audited.
  ///
  /// - Throws: `session_expired` if the token is unknown, expired or used up; `sign_in_refused` for a wrong or used
  ///   code; `rate_limited` after too many attempts.
  package func pass(stepToken: String, code: String, client: SignInClient) async throws -> Passed {
    let tokenHash = SHA256.hash(stepToken)
    // The attempt is committed before the code is looked at, so that it counts although the code is refused.
    let attempt = try await services.database.transaction { tx in
      try SignInStepStore.attemptFactor(tokenHash: tokenHash, tx)
    }
    do {
      return try await pass(attempt, tokenHash: tokenHash, code: code)
    } catch let error as DomainError where SignInAudit.isRefusal(error) {
      let audit = SignInAudit(services: services)
      await audit.refused(.user(attempt?.user), client: client, method: .secondFactor)
      throw error
    }
  }

  private func pass(
    _ attempt: SignInStepStore.FactorAttempt?,
    tokenHash: [UInt8],
    code: String
  ) async throws -> Passed {
    guard let attempt else {
      throw DomainError(.sessionExpired, "this sign-in has expired", hint: "begin the sign-in again")
    }
    guard !attempt.isLimited else {
      throw DomainError(
        .rateLimited,
        "too many codes were tried for this account",
        hint: "wait 15 minutes",
        details: ["retry_after": 900]
      )
    }
    let (keys, time, user) = (try services.keys(), now(), attempt.user)
    let choices = try attempt.sealedChoices.map { sealed in
      try SealedSecret.open(sealed, for: Self.place(ofStep: attempt.id), with: keys)
    }
    let kept = try choices.map { try JSONValue(parsing: String(decoding: $0, as: UTF8.self)).object ?? [:] }
    return try await services.database.transaction { tx in
      guard let factor = try SecondFactorStore.factor(of: user, tx) else {
        throw DomainError(.sessionExpired, "this sign-in has expired", hint: "begin the sign-in again")
      }
      let secret = try SealedSecret.open(factor.sealedSecret, for: Self.place(user), with: keys)
      let step = OneTimePassword.step(of: code.filter { $0 != " " }, secret, at: time)
      let isAccepted =
        if let step {
          try SecondFactorStore.use(step: step, of: user, tx)
        } else {
          try SecondFactorStore.use(codeHash: RecoveryCode.hash(code, of: user), of: user, tx)
        }
      guard isAccepted else { throw Self.refusal }
      guard try tx.value("select core.end_factor_step(\(tokenHash))", as: Bool.self) else {
        throw DomainError(.sessionExpired, "this sign-in has expired", hint: "begin the sign-in again")
      }
      return Passed(user: user, isRecovery: step == nil, choices: kept ?? [:])
    }
  }
}
