import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase

/// A database with the example app, and a company that has trees.
struct Orchard: Sendable {
  let engine: EngineFixture
  let operatorContext: ActingContext
  let company: CompanyRow
  let members: [String: MemberRow]

  var records: Records { engine.records }

  /// Installs the example in a new database, and creates a company with an owner, a user and a viewer.
  static func open<Value>(_ body: (Orchard) async throws -> Value) async throws -> Value {
    try await TestDatabase.withOwn { database in
      let admin = database.connect(poolSize: 1)
      _ = try await AppInstaller(admin).install(ExampleApp.read().package())
      await admin.close()
      let engine = try await EngineFixture.open(database, poolSize: 4)
      let orchard = try await make("orchard", in: engine)
      let value = try await body(orchard)
      await engine.close()
      return value
    }
  }

  /// Creates a company with an owner, a user and a viewer.
  static func make(_ slug: String, in engine: EngineFixture) async throws -> Orchard {
    let created = try await Companies(engine.operators).create(
      slug: slug,
      name: slug,
      timeZone: "UTC",
      owner: (email: "owner@\(slug).example", name: "Olga Owner"),
      actor: .operator("tests")
    )
    let operatorContext = ActingContext(company: created.company, actor: .operator("tests"), user: nil)
    var members = ["owner": created.owner].compactMapValues { $0 }
    for role in ["user", "viewer"] {
      members[role] = try await Members(engine.operators).add(
        operatorContext,
        email: "\(role)@\(slug).example",
        name: "Member \(role)",
        role: role
      )
    }
    return Orchard(
      engine: engine,
      operatorContext: operatorContext,
      company: created.company,
      members: members
    )
  }

  /// The acting context of a member by role, as in a session.
  func acting(_ name: String) -> ActingContext {
    let user = members[name]?.userID
    return ActingContext(
      company: company,
      actor: user.map { .member($0) } ?? .operator("nobody"),
      user: user ?? UUID()
    )
  }

  /// Creates a tree.
  func tree(_ code: String = "T-1", as name: String = "user") async throws -> UUID {
    try await records.create(
      acting(name),
      type: "orchard.tree",
      fields: ["code": .string(code), "variety": "Ingrid Marie"]
    ).id
  }

  /// Creates a harvest of a tree.
  @discardableResult
  func pick(_ kilograms: JSONValue, from tree: UUID) async throws -> UUID {
    try await records.create(
      acting("user"),
      type: "orchard.harvest",
      fields: ["tree_id": .id(tree), "picked_on": "2026-09-01", "kilograms": kilograms]
    ).id
  }

  /// Applies a transition to a tree.
  @discardableResult
  func take(_ transition: String, _ tree: UUID, as name: String, comment: String? = nil) async throws
    -> RecordAnswer
  {
    try await records.transition(
      acting(name),
      type: "orchard.tree",
      id: tree,
      request: TransitionRequest(transition, comment: comment)
    )
  }
}
