internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

extension SecondFactors {
  /// The token of a sign-in that waits for a second factor. It opens nothing but that step.
  package struct StepToken: Sendable {
    package let text: String
    package let expiresAt: Timestamp
  }

  /// The validity of a step token in seconds.
  package static let life: Int32 = 300

  /// Returns a step token if a user, who has passed the first step of a sign-in, has a second factor; nil if sign-in
  /// requires none.
  ///
  /// Five codes may be tried with a token, and ten with all tokens of a user in 15 minutes.
  package func begin(user: UUID, _ tx: Transaction) throws -> StepToken? {
    guard try SecondFactorStore.factor(of: user, tx) != nil else { return nil }
    let text = Base64.encode(SecureRandom.bytes(32), alphabet: .url)
    let expiry = try SignInStepStore.beginFactor(
      id: services.ids.next(),
      tokenHash: SHA256.hash(text),
      user: user,
      seconds: Self.life,
      tx
    )
    return StepToken(text: text, expiresAt: expiry)
  }

  /// Returns the user of a step token after checking a code of the authenticator app or a recovery code, and uses
  /// both up.
  ///
  /// - Throws: `session_expired` if the token is unknown, expired or used up; `sign_in_refused` for a wrong or used
  ///   code; `rate_limited` after too many attempts.
  package func pass(stepToken: String, code: String) async throws -> UUID {
    let tokenHash = SHA256.hash(stepToken)
    // The attempt is committed before the code is looked at, so that it counts although the code is refused.
    let attempt = try await services.database.transaction { tx in
      try SignInStepStore.attemptFactor(tokenHash: tokenHash, tx)
    }
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
    return try await services.database.transaction { tx in
      guard let factor = try SecondFactorStore.factor(of: user, tx) else {
        throw DomainError(.sessionExpired, "this sign-in has expired", hint: "begin the sign-in again")
      }
      let secret = try SealedSecret.open(factor.sealedSecret, for: Self.place(user), with: keys)
      let isAccepted =
        if let step = OneTimePassword.step(of: code.filter { $0 != " " }, secret, at: time) {
          try SecondFactorStore.use(step: step, of: user, tx)
        } else {
          try SecondFactorStore.use(codeHash: RecoveryCode.hash(code, of: user), of: user, tx)
        }
      guard isAccepted else { throw Self.refusal }
      guard try SignInStepStore.endFactor(tokenHash: tokenHash, tx) else {
        throw DomainError(.sessionExpired, "this sign-in has expired", hint: "begin the sign-in again")
      }
      return user
    }
  }
}
