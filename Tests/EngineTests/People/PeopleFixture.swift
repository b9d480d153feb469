import Apps
import Domain
import Engine
import Foundation
import Postgres
import Secrets
import Store
import TestDatabase

/// A company for one test, in a database shared by the suites about people.
struct PeopleFixture: Sendable {
  let services: Services
  /// An operator in their own name.
  let acting: ActingContext
  /// The superuser, who bypasses all policies.
  let superuser: Database

  var slug: String { acting.company.slug }
  var invites: Invites { Invites(services) }
  var members: Members { Members(services) }
  var roles: Roles { Roles(services) }
  var tokens: Tokens { Tokens(services) }
  var companies: Companies { Companies(services) }

  /// Creates a company with the owner `eva` and the given members, each by handle and role.
  static func open(
    kind: CompanyKind = .business,
    apps: [String]? = nil,
    _ people: KeyValuePairs<String, String> = [:]
  ) async throws -> Self {
    let (services, superuser) = try await shared.value
    let slug = newSlug()
    let created = try await Companies(services).create(
      slug: slug,
      name: "Company \(slug)",
      kind: kind,
      timeZone: "Europe/Stockholm",
      apps: apps,
      owner: (email: "eva@\(slug).example", name: "Eva"),
      actor: .operator("tester")
    )
    let acting = ActingContext(company: created.company, actor: .operator("tester"), user: nil)
    let fixture = Self(services: services, acting: acting, superuser: superuser)
    for (handle, role) in people {
      _ = try await fixture.members.add(
        acting,
        email: fixture.email(handle),
        name: handle.capitalized,
        role: role
      )
    }
    return fixture
  }

  /// A unique short name.
  static func newSlug() -> String { "t\(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(16))" }

  func email(_ handle: String) -> String { "\(handle)@\(slug).example" }

  /// The acting context of a member of the company, as their own session has it.
  func context(of handle: String) async throws -> ActingContext {
    let member = try await ActingContexts(services).member(handle, of: acting.company)
    return ActingContext(company: acting.company, actor: .member(member.userID), user: member.userID)
  }

  /// A member as listed, removed ones included.
  func member(_ handle: String) async throws -> MemberRow {
    try await ActingContexts(services).member(handle, of: acting.company)
  }

  /// The actions in the audit, oldest first, without denied attempts.
  func audited() async throws -> [String] {
    try await AuditTrail(services).newest(acting, limit: 1000).reversed().map(\.action)
      .filter { $0 != "access.denied" }
  }

  private static let shared = Task {
    let database = try await TestDatabase.make()
    let keys = Keys.random()
    let services = Services(
      database: database.connect(as: "fettle_admin", poolSize: 8),
      rules: CompiledApps.rules,
      keys: { keys }
    )
    return (services, database.connect(as: "postgres", poolSize: 2))
  }
}

/// Returns the code of a refusal; nil if the body succeeds.
func refusal(_ body: () async throws -> some Any) async throws -> ErrorCode? {
  do {
    _ = try await body()
    return nil
  } catch let error as DomainError {
    return error.code
  }
}

/// Runs a body many times concurrently and collects the outcomes; nil for a success.
func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> some Any) async throws
  -> [ErrorCode?]
{
  try await withThrowingTaskGroup(of: ErrorCode?.self) { group in
    for number in 0..<count {
      group.addTask { try await refusal { try await body(number) } }
    }
    var ends: [ErrorCode?] = []
    for try await end in group { ends.append(end) }
    return ends
  }
}
