import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Store
import TestDatabase
import Testing

/// A company's own version of a bundled app's workflow: "waiting for parts" for work orders.
@Suite(.timeLimit(.minutes(60))) struct OwnWorkflowTests {
  private static let entry = "maintenance.entry"

  @Test func `waiting for parts, from the guide's file to the records and back`() async throws {
    let engine = try await EngineFixture.open(TestDatabase.make())
    let (shop, other) = (try await Workshop.open(in: engine), try await Workshop.open(in: engine))
    let workflows = Workflows(engine.operators, engine.records)
    let file = try Self.file()
    #expect(try WorkflowDocument.workflow(file).findings().isEmpty)
    #expect(try await workflows.findings(in: .workflow(file)).isEmpty)
    let started = try await shop.entry("user")
    try await shop.take("start", started)
    try await Self.fill(shop, 1200)

    let trial = try await workflows.install(shop.operatorContext, file, dryRun: true)
    #expect(trial.version == nil && trial.basedOn == 2)
    #expect(try await workflows.show(Self.entry, shop.operatorContext).versions == [1, 2].suffix(1))
    let installed = try await workflows.install(shop.operatorContext, file)
    let number = try #require(installed.version)
    #expect(WorkflowDefinition.ownVersions.contains(number) && installed.isNew)
    #expect(try await workflows.install(shop.operatorContext, file).isNew == false, "the same file again")
    // Nothing has changed yet, and the other company sees and follows nothing of it.
    #expect(
      try await refused { try await shop.take("await_parts", started, comment: "seal") }.code
        == .unknownTransition
    )
    #expect(try await workflows.show(Self.entry, other.operatorContext).versions.last == 2)
    let foreign = try await refused {
      _ = try await workflows.activate(other.operatorContext, type: Self.entry, version: number)
    }
    #expect(foreign.code == .notFound)

    let plan = try await workflows.activate(
      shop.operatorContext,
      type: Self.entry,
      version: number,
      dryRun: true
    )
    #expect(plan.plan.lost.isEmpty && plan.plan.moving == 0)
    _ = try await workflows.activate(shop.operatorContext, type: Self.entry, version: number)
    #expect(
      try await workflows.show(Self.entry, shop.operatorContext).definition.state("waiting_for_parts") != nil
    )
    try await shop.take("await_parts", started, comment: "no seal in stock")
    #expect(try await shop.report("v1_entry", "status").filter { $0 == "waiting_for_parts" }.count == 1)
    #expect(try await shop.report("v1_backlog", "in_progress_entries").contains("1"))
    #expect(try await shop.count("core.timer", of: started) == 1, "the reminder of the new state")
    let member = try await refused {
      try await other.take("await_parts", other.entry("user"), comment: "seal")
    }
    #expect(member.code == .unknownTransition)

    // It can be tightened like a version of the app.
    let overlay = try YAMLDocument.decode(
      WorkflowOverlay.self,
      "overlay: \(Self.entry)@\(number)\ntighten: { transitions: { await_parts: { require: { comment: { min: 9 } } } } }\n",
      document: "strict.yaml"
    )
    #expect(try await workflows.findings(in: .overlay(overlay)).isEmpty)
    try await workflows.setOverlay(shop.operatorContext, overlay, dryRun: true)

    // Back to the app's version: the state map says where the waiting work goes.
    let back = try await workflows.activate(shop.operatorContext, type: Self.entry, version: 2)
    #expect(back.moved == 1)
    #expect(try await shop.report("v1_entry", "status").filter { $0 == "in_progress" }.count == 1)
    _ = try await workflows.dropSuperseded(Self.entry)
    _ = try await workflows.activate(shop.operatorContext, type: Self.entry, version: number)
    await engine.close()
  }

  /// A change of the guide's file, and the code of the finding that it must give.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let code: String
    let change: @Sendable (String) -> String
    var testDescription: String { code }
  }

  static let mistakes: [Mistake] = [
    Mistake(code: "missing_way_back") {
      $0.replacing("migrate: { waiting_for_parts: in_progress }\n", with: "")
    },
    Mistake(code: "missing_migration") {
      $0.replacing("completed", with: "finished").replacing("entry_finished", with: "entry_completed")
        .replacing("entry.finished", with: "entry.completed")
    },
    Mistake(code: "unknown_permission") {
      $0.replacing(
        "to: waiting_for_parts\n    permission: maintenance.entry.start",
        with: "to: waiting_for_parts\n    permission: maintenance.entry.await"
      )
    },
    Mistake(code: "unknown_template") { $0.replacing("template: entry_stuck", with: "template: entry_slow") },
    Mistake(code: "unknown_job") { $0.replacing("kind: pm.advance", with: "kind: pm.advance_all") },
    Mistake(code: "timer_fires_unknown") { $0.replacing("fire: chase", with: "fire: hunt") },
    Mistake(code: "unreachable_state") {
      $0.replacing("  await_parts:", with: "  await_parts_:").replacing(
        "to: waiting_for_parts\n    permission",
        with: "to: pending\n    permission"
      )
    },
    Mistake(code: "test_failed") {
      $0.replacing("refuse: missing_fields", with: "expect: waiting_for_parts")
    },
  ]

  @Test(arguments: mistakes) func `lint and installation refuse the same mistakes`(_ mistake: Mistake)
    async throws
  {
    let text = try Self.text()
    let wrong = mistake.change(text)
    #expect(wrong != text)
    let file = try ManifestReader.readWorkflow(wrong, document: "parts.workflow.yaml")
    let lint = try WorkflowDocument.workflow(file).findings().map(\.code)
    #expect(lint.contains(mistake.code), "\(lint)")
    let shop = try await Workshop.open(roles: [])
    let workflows = Workflows(shop.engine.operators, shop.records)
    let error = try await refused {
      _ = try await workflows.install(shop.operatorContext, file, dryRun: true)
    }
    #expect(error.code == .invalidWorkflow)
    let found = error.details["findings"]?.array?.compactMap { $0.object?["code"]?.string } ?? []
    let installed = try await workflows.findings(in: .workflow(file)).map(\.code)
    #expect(found == installed && Set(lint).isSubset(of: found))
  }

  @Test func `a category that the table's check refuses is found before any record is`() async throws {
    let text = try Self.text().replacing(
      "category: active\n    color: red",
      with: "category: failed\n    color: red"
    )
    let file = try ManifestReader.readWorkflow(text, document: "parts.workflow.yaml")
    let shop = try await Workshop.open(roles: [])
    let workflows = Workflows(shop.engine.operators, shop.records)
    #expect(try await workflows.findings(in: .workflow(file)).map(\.code) == ["status_refused"])
    let error = try await refused {
      _ = try await workflows.install(shop.operatorContext, file, dryRun: true)
    }
    #expect(error.code == .invalidWorkflow)
  }

  @Test func `a report that names a renamed state is found by lint and by the installation`() async throws {
    let manifest = try AppPackage.embedded("maintenance").manifest
    let base = try #require(manifest.workflow("maintenance.machine"))
    let text = try JSON(encoding: base).text.replacing("out_of_service", with: "broken")
    let renamed = try ManifestReader.readWorkflow(
      text.dropLast() + ",\"migrate\":{\"out_of_service\":\"broken\",\"broken\":\"out_of_service\"}}",
      document: "machine.workflow.json"
    )
    let found = try WorkflowDocument.workflow(renamed).findings()
    let inSQL = found.filter { $0.code == "state_named_in_sql" }
    #expect(
      inSQL.contains { $0.message.contains("v1_downtime") && $0.message.contains("out_of_service") },
      "\(found)"
    )
    let shop = try await Workshop.open(roles: [])
    let installed = try await Workflows(shop.engine.operators, shop.records).findings(in: .workflow(renamed))
    #expect(
      installed.contains { $0.code == "state_named_in_sql" && $0.message.contains("report.v1_downtime") }
    )
  }

  @Test func `an upgrade of the app keeps an own version, and one that it does not fit says so`() async throws
  {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let app = try ExampleApp.read()
    _ = try await AppInstaller(admin).install(app.package())
    let engine = try await EngineFixture.open(database)
    let shop = try await Workshop.open(in: engine)
    let workflows = Workflows(engine.operators, engine.records)
    let text =
      try #require(app.files["tree.workflow.yaml"])
      .replacing(
        "  felled: {",
        with: "  pruned: { label: Pruned, category: active }\n  felled: {"
      )
      .replacing(
        "  remind:\n",
        with: """
            prune: { from: [bearing], to: pruned, permission: orchard.tree.bear }
            recover: { from: [pruned], to: bearing, permission: orchard.tree.bear, guards: [{ path: '$.variety != null', message: nothing_picked }] }
            remind:

          """
      ) + "\nmigrate: { pruned: bearing }\n"
    let file = try ManifestReader.readWorkflow(text, document: "tree.workflow.yaml")
    let number = try #require(try await workflows.install(shop.operatorContext, file).version)
    _ = try await workflows.activate(shop.operatorContext, type: "orchard.tree", version: number)

    // The message that a guard of the own version names is gone.
    let hostile = try app.upgraded()
      .replacing("nothing_picked: Nothing", with: "other_message: Nothing", in: "orchard.app.yaml")
      .replacing(
        "    guards: [{ path: '$.harvests > 0', message: nothing_picked }]\n",
        with: "",
        in: "tree.workflow.yaml"
      )
      .replacing("version: 1", with: "version: 2", in: "tree.workflow.yaml")
    let error = try await refused { _ = try await AppInstaller(admin).install(hostile.package()) }
    #expect(error.message.contains("\(number)") && error.message.contains(shop.company.slug), "\(error)")
    #expect(error.message.contains("nothing_picked") && error.hint.contains("workflow"), "\(error)")
    _ = try await AppInstaller(admin).install(app.upgraded().package())
    let after = try await workflows.show("orchard.tree", shop.operatorContext)
    #expect(after.definition.version == number && after.definition.state("pruned") != nil)
    await admin.close()
    await engine.close()
  }

  /// The example file of `deploy/guide/workflows.md`.
  private static func file() throws -> WorkflowDefinition {
    try ManifestReader.readWorkflow(text(), document: "parts.workflow.yaml")
  }

  private static func text() throws -> String {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let page = try String(contentsOf: folder.appending(path: "deploy/guide/workflows.md"), encoding: .utf8)
    let after = try #require(page.components(separatedBy: "cat > parts.workflow.yaml <<'YAML'\n").last)
    return try #require(after.components(separatedBy: "\nYAML\n").first) + "\n"
  }

  /// Imports work orders, some of them completed.
  private static func fill(_ shop: Workshop, _ count: Int32) async throws {
    try await shop.engine.superuser.transaction { tx in
      try tx.execute("set local fettle.write = 'import'")
      try tx.execute(
        """
        insert into maintenance.entry
          (company_id, id, machine_id, category_id, description, reported_on, status, status_category)
        select \(shop.company.id), gen_random_uuid(), \(shop.machine), \(shop.category), 'Order ' || n, '2024-01-01',
          case when n % 3 = 0 then 'pending' else 'completed' end, case when n % 3 = 0 then 'open' else 'done' end
        from generate_series(1, \(count)) n
        """
      )
    }
  }
}
