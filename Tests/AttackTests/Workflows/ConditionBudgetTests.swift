import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import Testing

/// Conditions that take long in imports, in hooks and in jobs.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ConditionBudgetTests {
  /// The error of a command, also if PostgreSQL raised it.
  private func refusal(_ body: () async throws -> Void) async throws -> DomainError {
    let error = try #require(await #expect(throws: (any Error).self) { try await body() })
    return try #require((error as? DomainError) ?? (error as? PostgresError).map { DomainError($0) })
  }

  private func count(_ table: String, in shop: Workshop) async throws -> Int64 {
    try await shop.engine.superuser.value(
      "select count(*) from trial.\(identifier: table) t where t.company_id = \(shop.company.id)",
      as: Int64.self
    )
  }

  @Test func `a slow guard ends an import, and nothing is imported`() async throws {
    let shop = try await Workshop.trial()
    let slow = SlowCondition(on: "note")
    try await Workflows(shop.engine.operators, shop.records).setOverlay(
      shop.operatorContext,
      try slow.overlay("trial.order", version: 1, transition: "submit")
    )
    let lines = ["title,amount,status,note", "Bolts,20,draft,short", "Nuts,30,review,\(SlowCondition.text)"]
    let error = try await refusal {
      _ = try await TemporaryFile.with(lines.joined(separator: "\n")) { path in
        try await RecordImporter(
          shop.engine.operators,
          Records(shop.engine.operators, catalogue: shop.engine.catalogue)
        ).run(
          shop.acting("user"),
          path: path,
          plan: ImportPlan(type: "trial.order")
        )
      }
    }
    slow.expectNamed(by: error)
    #expect(try await count("order", in: shop) == 0)
  }

  @Test func `a slow condition of a hook ends the change, and nothing is changed`() async throws {
    let engine = try await EngineFixture.open(TestDatabase.make())
    let slow = SlowCondition(on: "note")
    try await TrialApp.install(
      hook: "{ on: create, when: '\(slow.path)', job: trial.scan }",
      on: engine.database
    )
    let shop = try await Workshop.trial(try await EngineFixture.open(engine.database))
    let error = try await refusal {
      _ = try await shop.order("user", ["note": .string(SlowCondition.text)])
    }
    slow.expectNamed(by: error)
    #expect(try await count("order", in: shop) == 0)
    _ = try await shop.order("user", ["note": "short"])
    #expect(try await count("order", in: shop) == 1)
    await engine.close()
    await shop.engine.close()
  }

  @Test func `a slow guard ends a job, and its error says which`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let slow = SlowCondition(on: "description")
      let workflow = try #require(try shop.records.catalogue.type("maintenance.entry").workflow)
      try await Workflows(fixture.services, shop.records).setOverlay(
        fixture.operatorContext,
        try slow.overlay("maintenance.entry", version: workflow.version, transition: "start")
      )
      try await fixture.superuser.transaction { tx in
        try tx.execute("set local fettle.write = 'migrate'")
        try tx.execute(
          "update maintenance.entry set description = \(SlowCondition.text) where id = \(shop.entry)"
        )
      }
      let job = try await fixture.enqueue(maxAttempts: 1)
      try await fixture.working(fixture.worker(handlers(shop))) { try await fixture.reach(.dead, job) }
      let reason = try #require(try await fixture.attempts(job).first?.error)
      #expect(reason.hasPrefix("a condition took longer than "), "\(reason)")
      #expect(reason.contains("$.description like_regex"), "\(reason)")
      let status = try await fixture.superuser.value(
        "select e.status from maintenance.entry e where e.id = \(shop.entry)",
        as: String.self
      )
      #expect(status == "pending")
    }
  }

  /// Handlers that take the transition with the slow guard in the name of the system.
  private func handlers(_ shop: Shop) -> HandlerTable {
    let system = ActingContext(
      company: shop.fixture.operatorContext.company,
      actor: .system("nightly"),
      user: nil
    )
    return HandlerTable(
      TestHandler { _ in
        _ = try await shop.records.transition(
          system,
          type: "maintenance.entry",
          id: shop.entry,
          request: TransitionRequest("start")
        )
        return .none
      }
    )
  }
}
