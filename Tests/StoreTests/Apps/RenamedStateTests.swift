import Domain
import Postgres
import Store
import TestDatabase
import Testing

/// A new version of an app whose workflow renames a state that the app's SQL names.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RenamedStateTests {
  @Test(arguments: [
    "t.status = 'bearing'", "t.status in ('growing', 'bearing')",
    "case t.status when 'bearing' then true end",
  ])
  func `a report that names a renamed state is found by lint and by the upgrade`(_ condition: String)
    async throws
  {
    let first = try Self.app(condition)
    #expect(try first.package().findings().isEmpty)
    let second = try Self.renaming(first)
    let lint = try second.package().findings()
    #expect(lint.map(\.code) == ["state_named_in_sql"], "\(lint)")
    #expect(lint.first?.message.contains("reports/v1_yield.sql names the state bearing") == true, "\(lint)")
    let admin = try await TestDatabase.make().connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(first.package())
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(second.package()) }
    #expect(error.code == .invalidManifest && error.message.contains("report.v1_yield"), "\(error)")
    await admin.close()
  }

  @Test(arguments: ["t.status_category = 'active'", "t.variety <> 'bearing2'"])
  func `a report that names the category, or another word, is not`(_ condition: String) async throws {
    let first = try Self.app(condition)
    let second = try Self.renaming(first)
    #expect(try second.package().findings().isEmpty)
    let admin = try await TestDatabase.make().connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(first.package())
    _ = try await AppInstaller(admin).install(second.package())
    await admin.close()
  }

  private static func app(_ condition: String) throws -> ExampleApp {
    try ExampleApp.read().replacing(
      "where t.deleted_at is null\n",
      with: "where t.deleted_at is null and \(condition)\n",
      in: "reports/v1_yield.sql"
    )
  }

  private static func renaming(_ app: ExampleApp) throws -> ExampleApp {
    let workflow = (app.files["tree.workflow.yaml"] ?? "").replacing("version: 1", with: "version: 2")
      .replacing("  bearing: {", with: "  fruiting: {").replacing("to: bearing", with: "to: fruiting")
      .replacing("[growing, bearing]", with: "[growing, fruiting]")
    return try app.replacing("version: 1", with: "version: 2", in: "orchard.app.yaml")
      .adding("tree.workflow.yaml", "\(workflow)\nmigrate: { bearing: fruiting }\n")
  }
}
