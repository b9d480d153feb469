package import FoundationEssentials
package import Postgres

/// A visit to an identity provider that has come back.
package struct ProviderVisitRow: RowDecodable, Sendable {
  package let id: UUID
  /// The identity provider.
  package let issuer: String
  package let nonceHash: [UInt8]
  package let sealedVerifier: [UInt8]
  /// The path to open at the end.
  package let redirect: String
  /// The user who links an identity; nil for a sign-in.
  package let user: UUID?
  /// The company of the session that links an identity; nil for a sign-in.
  package let company: UUID?
  package let session: UUID?
  package let generation: Int32?

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    issuer = try row.next()
    nonceHash = try row.next()
    sealedVerifier = try row.next()
    redirect = try row.next()
    user = try row.next()
    company = try row.next()
    session = try row.next()
    generation = try row.next()
  }
}

/// The open steps of sign-ins. Only entry functions read and write them.
package enum SignInStepStore {
  /// A visit to an identity provider that begins.
  package struct Visit: Sendable {
    package let id: UUID
    package let stateHash: [UInt8]
    package let browserHash: [UInt8]
    package let nonceHash: [UInt8]
    package let sealedVerifier: [UInt8]
    package let issuer: String
    package let redirect: String
    /// The user, the company and the session that link an identity; nil for a sign-in.
    package let link: (user: UUID, company: UUID, session: UUID, generation: Int32)?

    package init(
      id: UUID,
      stateHash: [UInt8],
      browserHash: [UInt8],
      nonceHash: [UInt8],
      sealedVerifier: [UInt8],
      issuer: String,
      redirect: String,
      link: (user: UUID, company: UUID, session: UUID, generation: Int32)?
    ) {
      self.id = id
      self.stateHash = stateHash
      self.browserHash = browserHash
      self.nonceHash = nonceHash
      self.sealedVerifier = sealedVerifier
      self.issuer = issuer
      self.redirect = redirect
      self.link = link
    }
  }

  /// Stores a visit to an identity provider.
  package static func begin(_ visit: Visit, seconds: Int32, _ tx: Transaction) throws {
    try tx.execute(
      """
      select core.begin_sign_in(
        \(visit.id), 'provider', \(visit.stateHash), \(seconds), \(visit.browserHash), \(visit.nonceHash),
        \(visit.sealedVerifier), \(visit.issuer), \(visit.redirect), \(nullable: visit.link?.user),
        \(nullable: visit.link?.company), \(nullable: visit.link?.session), \(nullable: visit.link?.generation))
      """
    )
  }

  /// Uses up a visit; nil if it is unknown, expired, used already, or of another browser.
  package static func take(
    stateHash: [UInt8],
    browserHash: [UInt8],
    _ tx: Transaction
  ) throws -> ProviderVisitRow? {
    try tx.first(
      """
      select s.id, s.issuer, s.nonce_hash, s.sealed_verifier, s.redirect, s.user_id, s.link_company_id,
        s.link_session_id, s.link_generation
      from core.take_sign_in(\(stateHash), \(browserHash)) s
      """,
      as: ProviderVisitRow.self
    )
  }

  /// Stores a step token for the second factor of a user.
  ///
  /// - Parameter sealedChoices: the choices of the first step, encrypted; nil for none.
  package static func beginFactor(
    id: UUID,
    tokenHash: [UInt8],
    user: UUID,
    sealedChoices: [UInt8]?,
    seconds: Int32,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      select core.begin_sign_in(
        \(id), 'second_factor', \(tokenHash), \(seconds),
        p_user_id => \(user), p_sealed_choices => \(nullable: sealedChoices))
      """
    )
  }

  /// An attempt to complete a sign-in with a second factor.
  package struct FactorAttempt: RowDecodable, Sendable {
    /// The id of the step.
    package let id: UUID
    package let user: UUID
    /// The choices of the first step, encrypted; nil for none.
    package let sealedChoices: [UInt8]?
    /// True if too many attempts were made for the user.
    package let isLimited: Bool

    package init(row: inout RowReader) throws(PostgresError) {
      id = try row.next()
      user = try row.next()
      sealedChoices = try row.next()
      isLimited = try row.next()
    }
  }

  /// Counts an attempt with a step token; nil if the token is unknown, expired or used up.
  package static func attemptFactor(tokenHash: [UInt8], _ tx: Transaction) throws -> FactorAttempt? {
    try tx.first(
      "select a.id, a.user_id, a.sealed_choices, a.is_limited from core.take_factor_attempt(\(tokenHash)) a",
      as: FactorAttempt.self
    )
  }
}
