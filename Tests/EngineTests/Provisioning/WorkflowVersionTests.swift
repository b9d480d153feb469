import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The versions of workflows in provisioning files.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WorkflowVersionTests {
  private static let second = TrialApp.orderWorkflow.replacing("version: 1", with: "version: 2")

  @Test func `the version that a company follows is exported, compared and applied`() async throws {
    let engine = try await TrialApp.engine()
    let old = try await Workshop.trial(engine)
    _ = try await old.order()
    try await TrialApp.install(2, order: Self.second, on: engine.database)
    let provisioning = try await Self.provisioning(engine)
    let slug = old.operatorContext.company.slug

    let text = JSONValue.object(try await provisioning.export([slug], records: [])).text
    #expect(text.contains(#""workflows":{"trial.order":1}"#))
    #expect(try await Self.steps(text, provisioning) == [])
    let next = text.replacing(#""trial.order":1"#, with: #""trial.order":2"#)
    #expect(try await Self.steps(next, provisioning) == ["changed workflow trial.order"])
    try await Self.apply(next, provisioning)
    #expect(try await Self.steps(next, provisioning) == [])
    #expect(JSONValue.object(try await provisioning.export([slug], records: [])).text == next)
    // A downgrade is refused before anything is applied, since there are records. So is an unknown version.
    let back = try await refused { _ = try await Self.steps(text, provisioning) }
    #expect(
      back.code == .invalidInput && back.details["path"]?.string == "companies.\(slug).workflows.trial.order"
    )
    let none = try await refused {
      _ = try await Self.steps(text.replacing(#""trial.order":1"#, with: #""trial.order":9"#), provisioning)
    }
    #expect(none.code == .notFound && none.hint == "use one of: 1, 2")
    await engine.close()
  }

  @Test func `a new company follows the version in its file, even if it is not the newest`() async throws {
    let engine = try await TrialApp.engine()
    try await TrialApp.install(2, order: Self.second, on: engine.database)
    let provisioning = try await Self.provisioning(engine)
    let file = #"""
      { "companies": { "older": {
        "members": { "eva@older.example": { "role": "owner" } }, "workflows": { "trial.order": 1 }
      } } }
      """#
    try await Self.apply(file, provisioning)
    #expect(try await Self.steps(file, provisioning) == [])
    await engine.close()
  }

  private static func provisioning(_ engine: EngineFixture) async throws -> Provisioning {
    try await Provisioning.open(engine.operators, operatorName: "tests") { _ in nil }
  }

  private static func plans(_ json: String, _ provisioning: Provisioning) async throws -> [CompanyPlan] {
    let document = try YAMLDocument.decode(
      ProvisioningDocument.self,
      json,
      document: "file",
      userInfo: provisioning.userInfo
    )
    return try await provisioning.plan(document, prunes: true)
  }

  private static func steps(_ json: String, _ provisioning: Provisioning) async throws -> [String] {
    try await plans(json, provisioning).flatMap(\.steps).map {
      "\($0.change.rawValue) \($0.subject) \($0.name)"
    }
  }

  private static func apply(_ json: String, _ provisioning: Provisioning) async throws {
    for plan in try await plans(json, provisioning) {
      try await provisioning.apply(plan, secrets: { _ in throw DomainError(.internal) }) { _ in }
    }
  }
}
