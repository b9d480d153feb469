import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Secrets
import Store

/// People who sign in, in the shared database. Use cases run as the login `fettle_app`.
struct SignInFixture: Sendable {
  let engine: EngineFixture
  let hasher = PasswordHasher(cost: 1, pool: ThreadPool(threads: 2, queueLimit: 256))
  /// A word that no other fixture has, for addresses and names.
  let word = "w\(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(14))"

  static let password = "correct horse battery"

  var services: Services { engine.services }
  var passwords: PasswordSignIn { PasswordSignIn(services, hasher: hasher) }
  var signUp: SignUp { SignUp(services, hasher: hasher) }
  var sessions: Sessions { Sessions(services) }
  var callers: Callers { Callers(services) }

  static func open() async throws -> SignInFixture { SignInFixture(engine: try await EngineFixture.shared()) }

  func email(_ name: String) -> String { "\(name)@\(word).example" }

  func client(_ transport: SignInClient.Transport = .mobile, address: String? = nil) -> SignInClient {
    SignInClient(
      transport: transport,
      deviceName: "Phone",
      address: address ?? word,
      requestID: services.ids.next()
    )
  }

  func request(
    _ transport: SignInClient.Transport = .mobile,
    company: String? = nil,
    code: String? = nil,
    visitor: String? = nil
  ) -> SignInRequest {
    SignInRequest(client: client(transport), company: company, code: code, visitor: visitor)
  }

  /// Signs a person up with a company of their own.
  func register(_ name: String = "ana", _ transport: SignInClient.Transport = .mobile) async throws
    -> OpenedSession
  {
    try await signUp.signUp(
      SignUp.Account(email: email(name), name: name.capitalized, password: Self.password),
      in: .company(NewCompany(name: "Company \(word) \(name)")),
      client: client(transport)
    )
  }

  /// Signs a new person up with an invite code of a company.
  func invite(
    _ name: String,
    to company: CompanyRow,
    role: String = "user",
    _ transport: SignInClient.Transport = .mobile
  )
    async throws -> OpenedSession
  {
    let code = try await Invites(engine.operators).create(operators(company), role: role).code
    return try await signUp.signUp(
      SignUp.Account(email: email(name), name: name.capitalized, password: Self.password),
      in: .invite(code: code),
      client: client(transport)
    )
  }

  /// Signs a person in.
  func signIn(_ name: String = "ana", _ request: SignInRequest? = nil) async throws -> OpenedSession {
    let result = try await passwords.signIn(
      email: email(name),
      password: Self.password,
      request: request ?? self.request()
    )
    guard case .session(let opened) = result else { throw DomainError(.internal, "a second factor") }
    return opened
  }

  /// The acting context of a session's bearer, found by its token.
  func acting(_ session: OpenedSession) async throws -> ActingContext {
    try await callers.bearer(of: session.token).acting
  }

  /// An operator in their own name.
  func operators(_ company: CompanyRow) -> ActingContext {
    ActingContext(company: company, actor: .operator("tests"), user: nil)
  }

  /// The code of the refusal of a bearer's request; nil if it is answered.
  func refusal(of session: OpenedSession) async throws -> ErrorCode? {
    try await EngineTests.refusal { try await OwnAccount(services).show(acting(session)) }
  }

  /// The actions in the audit of a company, oldest first.
  func audited(_ company: UUID) async throws -> [String] {
    try await engine.superuser.rows(
      "select a.action from core.audit a where a.company_id = \(company) order by a.at, a.id",
      String.self
    )
  }

  /// The reason for which a session ended; nil while it is open.
  func reason(_ session: OpenedSession) async throws -> String? {
    try await engine.superuser.value(
      "select s.revoked_why from core.session s where s.id = \(session.id)",
      as: String?.self
    )
  }

  /// Moves the times of a session into the past.
  func age(_ session: OpenedSession, _ column: String) async throws {
    try await engine.superuser.execute(
      "update core.session set \(identifier: Postgres.Identifier(column)) = now() - interval '1 second' where id = \(session.id)"
    )
  }
}
