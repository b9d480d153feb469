internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Tokens {
  /// Returns the acting context of the bearer of a token: the owner's current rights within the token's
  /// scopes (rule R4).
  ///
  /// - Throws: `forbidden`, always with the same message, for a token that is malformed, unknown, expired or
  ///   revoked.
  package func acting(bearing text: String) async throws -> ActingContext {
    // A malformed token is refused like a wrong one.
    guard let token = try? APIToken.parse(text) else { throw Self.refusal }
    return try await services.database.transaction(.inside(token.company, readOnly: true)) { tx in
      guard let stored = try tx.first(StoredToken.query(token.id), as: StoredToken.self),
        token.matches(stored.secretHash), stored.company == token.company, stored.isUsable,
        let company = try CompanyStore.find(id: stored.company, tx)
      else { throw Self.refusal }
      // A scope of an app that was removed grants nothing.
      let scopes = PermissionSet(stored.scopes.compactMap { try? Permission(parsing: $0) })
      return ActingContext(
        company: company,
        actor: .token(token.id, of: stored.user),
        user: stored.user,
        scopes: scopes,
        credential: .token(token.id)
      )
    }
  }

  private static let refusal = DomainError(
    .forbidden,
    "the token is not valid",
    hint: "list the tokens with `fettle token list`"
  )
}

/// A token as stored, with the hash of its secret.
private struct StoredToken: RowDecodable, Sendable {
  let company: UUID
  let user: UUID
  let secretHash: [UInt8]
  let scopes: [String]
  let isUsable: Bool

  init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    user = try row.next()
    secretHash = try row.next()
    scopes = try row.next()
    isUsable = try row.next()
  }

  static func query(_ id: UUID) -> SQL {
    """
    select t.company_id, t.user_id, t.secret_hash, t.scopes,
      t.revoked_at is null and coalesce(t.expires_at > now(), true)
    from core.token_lookup(\(id)) t
    """
  }
}
