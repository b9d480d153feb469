import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import Store
import Testing

/// People of a test who sign in with an identity provider.
struct IdentityFixture: Sendable {
  static let issuer = "https://id.example"

  let engine: EngineFixture
  private let hasher = PasswordHasher()

  var services: Services { engine.services }
  var signIn: IdentitySignIn { IdentitySignIn(services, hasher: hasher) }

  static func open() async throws -> IdentityFixture {
    IdentityFixture(engine: try await EngineFixture.shared())
  }

  /// An address that no other test uses.
  static func address(_ name: String = "ana") -> String { "\(name).\(UUID().text)@example.com" }

  /// Returns a person whom the provider has identified.
  static func identity(
    _ email: String?,
    subject: String = UUID().text,
    isVerified: Bool = true
  ) throws -> VerifiedIdentity {
    VerifiedIdentity(
      issuer: issuer,
      subject: subject,
      email: try email.map { try EmailAddress(parsing: $0) },
      isEmailVerified: isVerified && email != nil,
      name: try DisplayName(parsing: "Ana"),
      nonce: "n"
    )
  }

  var request: SignInRequest {
    SignInRequest(
      client: SignInClient(transport: .mobile, address: "192.0.2.1", requestID: services.ids.next())
    )
  }

  /// Signs a person in who has no second factor.
  func session(_ identity: VerifiedIdentity) async throws -> OpenedSession {
    let result = try await signIn.signIn(identity, at: "desk", request: request)
    guard case .session(let opened) = result else { throw DomainError(.internal) }
    return opened
  }

  /// Creates an account without a password.
  func account(_ email: String, isVerified: Bool) async throws -> UUID {
    let account = SignUp.Account(email: email, name: "Owner", password: nil, isVerified: isVerified)
    let place = SignUp.Place.company(NewCompany(name: "Owner", kind: .personal))
    return try await SignUp(services, hasher: hasher).signUp(account, in: place, client: request.client).user
  }

  /// Returns the acting context of a session.
  func acting(_ opened: OpenedSession) -> ActingContext {
    ActingContext(
      company: opened.company,
      actor: .member(opened.user),
      user: opened.user,
      credential: .session(opened.id, generation: 1)
    )
  }

  /// Returns the number of audit entries of an action about a user.
  func audits(_ action: String, of user: UUID) async throws -> Int64 {
    try await engine.superuser.value(
      "select count(*) from core.audit a where a.action = \(action) and a.subject_id = \(user.text)",
      as: Int64.self
    )
  }

  /// Returns the number of refused sign-ins in the audit: of a user, or with nil those from the desk's address that
  /// name nobody.
  func refusals(of user: UUID?, _ method: String) async throws -> Int64 {
    try await engine.superuser.value(
      """
      select count(*) from core.audit a
      where a.action = 'session.refused' and a.subject_id = \(user?.text ?? "")
        and a.detail ->> 'method' = \(method) and a.detail ->> 'address' = '192.0.2.1'
        and (a.company_id = '00000000-0000-7000-8000-000000000000') = \(user == nil)
        and coalesce(a.detail ->> 'provider', 'desk') = 'desk'
      """,
      as: Int64.self
    )
  }

  /// Returns the number of identities of a user.
  func identities(of user: UUID) async throws -> Int64 {
    try await engine.superuser.value(
      "select count(*) from core.identity i where i.user_id = \(user)",
      as: Int64.self
    )
  }
}
