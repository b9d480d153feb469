internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The proof by which a person signed in.
package enum SignInProof: String, Sendable, CaseIterable {
  case password
  /// An account at an identity provider.
  case identity
  /// A code of the second factor, after another proof.
  case secondFactor = "second_factor"
  /// A recovery code in place of the second factor, after another proof.
  case recoveryCode = "recovery_code"

  /// True if the proof includes the second factor.
  var isFinal: Bool { self == .secondFactor || self == .recoveryCode }
}

/// The result of a correct proof.
package enum SignInResult: Sendable {
  /// The person is signed in.
  case session(OpenedSession)
  /// The person has a second factor. The token of the step is presented with its code.
  case secondFactor(token: String, expiresIn: Int)
}

/// Completes every kind of sign-in: asks for the second factor, joins or claims a company, and opens the session.
package struct SignInCompletion: Sendable {
  /// The validity of the token of a second step, in seconds.
  package static let stepSeconds: Int32 = 5 * 60

  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Signs a person in whose proof was accepted.
  ///
  /// - Returns: a session, or the token of the second step if the user has a confirmed second factor and the proof
  ///   does not include it.
  /// - Throws: `forbidden` if the user is not an active member of the named company, or of any; the errors of
  ///   ``Invites/redeem(code:email:name:source:proof:)`` for an invite code.
  package func complete(user: UUID, proof: SignInProof, request: SignInRequest) async throws -> SignInResult {
    if !proof.isFinal, let token = try await secondStep(of: user, request) {
      return .secondFactor(token: token, expiresIn: Int(Self.stepSeconds))
    }
    var (joined, hasClaimed): (UUID?, Bool) = (nil, false)
    if let code = request.code { joined = try await join(code, user, request.client) }
    if let visitor = request.visitor {
      let claimed = try await Visitors(services).claim(visitor, for: user, client: request.client)
      joined = joined ?? claimed
      hasClaimed = claimed != nil
    }
    let company = try await company(of: user, named: request.company, joined: joined)
    let opening = SessionOpening(
      id: services.ids.next(),
      company: company,
      user: user,
      kind: request.client.transport == .browser ? .browser : .mobile,
      client: request.client,
      strongAt: .distantFuture,
      key: try services.keys().current(.session)
    )
    let auditID = services.ids.next()
    return try await services.database.transaction(.inside(company, user: user)) { [hasClaimed] tx in
      var opened = try opening.open(tx)
      opened.hasClaimed = hasClaimed
      try AuditWriter.commit([(auditID, opening.entry(proof.rawValue))], context: opening.context, tx)
      return .session(opened)
    }
  }

  /// Returns the token of the second step; nil if the user has no confirmed second factor.
  private func secondStep(of user: UUID, _ request: SignInRequest) async throws -> String? {
    let id = services.ids.next()
    let kept = try request.kept.map { choices in
      try SealedSecret.seal(
        Array(JSONValue.object(choices).text.utf8),
        for: SecondFactors.place(ofStep: id),
        with: services.keys()
      )
    }
    return try await services.database.transaction { tx in
      let isRequired = try tx.value(
        "select exists (select from core.second_factor_of(\(user)))",
        as: Bool.self
      )
      guard isRequired else { return nil }
      let token = "fts2_\(Base64.encode(SecureRandom.bytes(32), alphabet: .url))"
      try SignInStepStore.beginFactor(
        id: id,
        tokenHash: SHA256.hash(token),
        user: user,
        sealedChoices: kept,
        seconds: Self.stepSeconds,
        tx
      )
      return token
    }
  }

  private func join(_ code: String, _ user: UUID, _ client: SignInClient) async throws -> UUID {
    let own = try await services.database.transaction(.of(user)) { tx in
      try tx.first(
        "select u.email, u.name from core.app_user u where u.id = \(user)",
        String.self,
        String.self
      )
    }
    guard let (email, name) = own else { throw DomainError(.signInRefused) }
    let redeemed = try await Invites(services).redeem(
      code: code,
      email: email,
      name: name,
      source: client.network,
      proof: .signedIn(user)
    )
    return redeemed.companyID
  }

  /// Chooses the company of the session: the named one, else the one just joined, else the one used last, else the
  /// one joined first.
  private func company(of user: UUID, named slug: String?, joined: UUID?) async throws -> UUID {
    let companies = try await services.database.transaction(.of(user)) { tx in try SessionStore.companies(tx)
    }
    if let slug {
      guard let named = companies.first(where: { $0.slug == slug }) else {
        throw DomainError(.forbidden, "you are not an active member of a company \(Quoted(slug))")
      }
      return named.id
    }
    if let joined, companies.contains(where: { $0.id == joined }) { return joined }
    let last = companies.max {
      ($0.lastSeenAt ?? .distantPast, $1.joinedAt) < ($1.lastSeenAt ?? .distantPast, $0.joinedAt)
    }
    guard let last else {
      throw DomainError(
        .forbidden,
        "the account is not an active member of any company",
        hint: "send an invite code with the sign-in"
      )
    }
    return last.id
  }
}

extension TransactionOptions {
  /// Returns options for a transaction of a user who has entered no company.
  static func of(_ user: UUID, readOnly: Bool = true) -> TransactionOptions {
    TransactionOptions(
      readOnly: readOnly,
      statementTimeout: .seconds(10),
      lockTimeout: .seconds(5),
      settings: [.uuid("fettle.user_id", user)]
    )
  }
}
