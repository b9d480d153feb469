internal import Domain
internal import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// The use cases of second factors: time-based one-time passwords (RFC 6238) with recovery codes.
package struct SecondFactors: Sendable {
  /// A secret to enter into an authenticator app, shown once.
  package struct Enrolment: Sendable {
    /// The secret in Base32.
    package let secret: String
    /// The secret as a URI for a QR code.
    package let uri: String
  }

  /// The state of the acting person's second factor.
  package struct Status: Sendable {
    /// The time of the confirmation; nil if sign-in requires no second factor.
    package let confirmedAt: Instant?
    package let codesLeft: Int
  }

  let services: Services
  let now: @Sendable () -> Int64
  private let account: OwnCredentials

  /// - Parameter now: returns the Unix time in seconds.
  package init(_ services: Services, now: @escaping @Sendable () -> Int64 = UnixClock.seconds) {
    self.services = services
    self.now = now
    account = OwnCredentials(services: services)
  }

  /// Returns the state of the acting person's second factor.
  package func status(_ acting: ActingContext) async throws -> Status {
    try await account.read(acting) { tx, user in
      let factor = try SecondFactorStore.factor(of: user, tx)
      return Status(confirmedAt: factor?.confirmedAt, codesLeft: Int(factor?.codesLeft ?? 0))
    }
  }

  /// Creates a secret. ``confirm(_:code:)`` puts it in use with its first code; an earlier secret stays in use until
  /// then.
  ///
  /// - Throws: `unauthenticated` if the sign-in is not recent, `forbidden`.
  package func begin(_ acting: ActingContext) async throws -> Enrolment {
    let secret = OneTimePassword.secret()
    let keys = try services.keys()
    return try await account.change(acting) { tx, user in
      let sealed = try SealedSecret.seal(secret, for: Self.place(user), with: keys)
      // A confirmed secret stays in use until this one is confirmed.
      try tx.execute("select core.begin_second_factor(\(user), \(sealed))")
      let email = try tx.value("select u.email from core.app_user u where u.id = \(user)", as: String.self)
      let text = Base32.encode(secret)
      let label = "Fettle:\(email)".percentEncoded
      let uri = "otpauth://totp/\(label)?secret=\(text)&issuer=Fettle&algorithm=SHA1&digits=6&period=30"
      return (Enrolment(secret: text, uri: uri), [.credential("totp.begun", of: user)])
    }
  }

  /// Puts the begun secret in use, and returns new recovery codes, to be shown once. Earlier ones end.
  ///
  /// - Throws: `wrong_state` if nothing was begun in the last 15 minutes, `sign_in_refused` for a wrong code,
  ///   `unauthenticated` if the sign-in is not recent, `forbidden`.
  package func confirm(_ acting: ActingContext, code: String) async throws -> [String] {
    let (keys, time) = (try services.keys(), now())
    let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode.make() }
    return try await account.change(acting) { tx, user in
      guard let sealed = try tx.value("select core.pending_factor_of(\(user))", as: [UInt8]?.self) else {
        throw DomainError(.wrongState, "no second factor was begun", hint: "begin with POST /v1/me/totp")
      }
      let secret = try SealedSecret.open(sealed, for: Self.place(user), with: keys)
      guard let step = OneTimePassword.step(of: code.filter { $0 != " " }, secret, at: time) else {
        throw Self.refusal
      }
      let hashes = codes.map { RecoveryCode.hash($0, of: user) }
      // The code of this step is used up.
      let isConfirmed = try tx.value(
        "select core.confirm_second_factor(\(user), \(sealed), \(step), \(hashes))",
        as: Bool.self
      )
      guard isConfirmed else {
        throw DomainError(.wrongState, "another second factor was begun", hint: "use its code")
      }
      return (codes, [.credential("totp.confirmed", of: user)])
    }
  }

  /// Replaces the recovery codes, and returns the new ones, to be shown once.
  ///
  /// - Throws: `wrong_state` without a second factor, `unauthenticated` if the sign-in is not recent, `forbidden`.
  package func replaceCodes(_ acting: ActingContext) async throws -> [String] {
    let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode.make() }
    return try await account.change(acting) { tx, user in
      guard try SecondFactorStore.factor(of: user, tx) != nil else { throw Self.absent }
      let hashes = codes.map { RecoveryCode.hash($0, of: user) }
      try tx.execute("select core.replace_recovery_codes(\(user), \(hashes))")
      return (codes, [.credential("totp.codes_replaced", of: user)])
    }
  }

  /// Removes the second factor and its recovery codes.
  ///
  /// - Throws: `wrong_state` without a second factor, `unauthenticated` if the sign-in is not recent, `forbidden`.
  package func remove(_ acting: ActingContext) async throws {
    try await account.change(acting) { tx, user in
      guard try SecondFactorStore.remove(of: user, tx) else { throw Self.absent }
      return ((), [.credential("totp.removed", of: user)])
    }
  }

  /// Identifies the row of a step whose choices are encrypted.
  static func place(ofStep id: UUID) -> String { "sign_in_choices:\(id.text)" }

  /// Identifies the row whose secret is encrypted.
  static func place(_ user: UUID) -> String { "second_factor:\(user.text)" }

  static let refusal = DomainError(
    .signInRefused,
    "the code is wrong, or was used before",
    hint: "give the next code of the authenticator app, or a recovery code"
  )

  private static let absent = DomainError(
    .wrongState,
    "no second factor is set up",
    hint: "begin with POST /v1/me/totp"
  )
}
