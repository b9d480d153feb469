package import FoundationEssentials
internal import Postgres

/// The session or token that a request presented. Its secret was compared before; every transaction checks
/// that it has not ended since.
package enum Credential: Sendable, Hashable {
  /// A session, in one generation of its secrets.
  case session(UUID, generation: Int32)
  /// An API token.
  case token(UUID)

  /// Returns the Boolean expression that is true while the credential is valid in a company.
  func isValid(in company: SQL) -> SQL {
    switch self {
    case .session(let id, let generation):
      """
      exists (
        select from core.session s
        where s.company_id = \(company) and s.id = \(id) and s.generation = \(generation)
          and s.revoked_at is null and s.access_until > now() and s.idle_until > now()
          and s.expires_at > now()
      )
      """
    case .token(let id):
      """
      exists (
        select from core.api_token t
        where t.company_id = \(company) and t.id = \(id)
          and t.revoked_at is null and coalesce(t.expires_at > now(), true)
      )
      """
    }
  }
}
