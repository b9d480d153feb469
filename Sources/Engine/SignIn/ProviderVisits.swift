internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Visits of browsers to identity providers, from the redirect to the answer.
package struct ProviderVisits: Sendable {
  /// The validity of a visit in seconds.
  package static let life: Int32 = 600

  /// A visit that the provider has answered.
  package struct Answered: Sendable {
    /// The identity provider that was visited.
    package let issuer: String
    /// The PKCE verifier.
    package let verifier: String
    /// The SHA-256 of the nonce that the ID token must have.
    package let nonceHash: [UInt8]
    /// The path on this server to open at the end.
    package let redirect: String
    /// The acting context of the session that links an identity; nil for a sign-in.
    package let linking: ActingContext?
  }

  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Stores a visit.
  ///
  /// - Parameters:
  ///   - browser: the random value of the browser's cookie. The answer is accepted from this browser only.
  ///   - redirect: the path on this server to open at the end.
  ///   - linking: the acting context of the session that links an identity; nil for a sign-in.
  /// - Throws: `invalid_input` for a redirect to another server, `forbidden` if the session cannot link identities.
  package func begin(
    state: String,
    nonce: String,
    verifier: String,
    browser: String,
    issuer: String,
    redirect: String,
    linking: ActingContext? = nil
  ) async throws {
    let redirect = try Self.localPath(redirect)
    var link: (user: UUID, company: UUID, session: UUID, generation: Int32)?
    if let linking {
      guard case .session(let session, let generation) = linking.credential, let user = linking.user else {
        throw DomainError(.forbidden, "only a session can link an identity", hint: "sign in as a person")
      }
      try await OwnCredentials(services: services).change(linking) { _, _ in ((), []) }
      link = (user, linking.company.id, session, generation)
    }
    let id = services.ids.next()
    let visit = SignInStepStore.Visit(
      id: id,
      stateHash: SHA256.hash(state),
      browserHash: SHA256.hash(browser),
      nonceHash: SHA256.hash(nonce),
      sealedVerifier: try SealedSecret.seal(Array(verifier.utf8), for: Self.place(id), with: services.keys()),
      issuer: issuer,
      redirect: redirect,
      link: link
    )
    try await services.database.transaction { tx in
      try SignInStepStore.begin(visit, seconds: Self.life, tx)
    }
  }

  /// Uses up a visit. No other answer with the same state is accepted afterwards.
  ///
  /// - Throws: `sign_in_refused` if the visit is unknown, expired, answered already, of another browser or to
  ///   another provider.
  package func take(state: String, browser: String, issuer: String) async throws -> Answered {
    let row = try await services.database.transaction { tx in
      try SignInStepStore.take(
        stateHash: SHA256.hash(state),
        browserHash: SHA256.hash(browser),
        tx
      )
    }
    guard let row, row.issuer == issuer else { throw Self.refusal }
    let verifier = try SealedSecret.open(row.sealedVerifier, for: Self.place(row.id), with: services.keys())
    return Answered(
      issuer: row.issuer,
      verifier: String(decoding: verifier, as: UTF8.self),
      nonceHash: row.nonceHash,
      redirect: row.redirect,
      linking: try await linking(row)
    )
  }

  /// Returns the acting context of a session that began to link an identity. The session is checked again when the
  /// identity is linked.
  private func linking(_ row: ProviderVisitRow) async throws -> ActingContext? {
    guard let user = row.user, let id = row.company, let session = row.session,
      let generation = row.generation
    else { return nil }
    let company = try await services.database.transaction(.inside(id, user: user, readOnly: true)) { tx in
      try CompanyStore.find(id: id, tx)
    }
    guard let company else { throw Self.refusal }
    return ActingContext(
      company: company,
      actor: .member(user),
      user: user,
      credential: .session(session, generation: generation)
    )
  }

  /// Returns a path on this server. A path that a browser could read as another server is refused.
  ///
  /// - Throws: `invalid_input`.
  package static func localPath(_ path: String) throws -> String {
    let isPlain = path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    guard path.hasPrefix("/"), !path.hasPrefix("//"), isPlain, path.utf8.count <= 2_048 else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(path)) is not a path on this server",
        hint: "give a path that begins with one /"
      )
    }
    return path
  }

  private static func place(_ id: UUID) -> String { "sign_in:\(id.text)" }

  private static let refusal = DomainError(
    .signInRefused,
    "this sign-in was not begun in this browser, or has expired",
    hint: "begin the sign-in again"
  )
}
