import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Glibc
import Postgres
import Store
import TestDatabase
import Testing

/// What a company follows while processes run and versions pass.
extension ActivationTests {
  @Test func `a decision under the previous version is repeated when the company has moved on`() async throws
  {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.trial(engine)
    let order = try await shop.order()
    try await TrialApp.install(2, order: Self.second(), on: engine.database)
    // Only decisions are counted: an attempt with the catalogue of before the installation makes none.
    let decisions = Counter()
    let error = try await refused {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = try await shop.records.perform(shop.acting("user")) { work in
            let answer = try shop.records.transition(
              shop.acting("user"),
              type: "trial.order",
              id: order.id,
              request: TransitionRequest("park"),
              in: &work
            )
            decisions.add()
            // Delays the writes until another session has activated the new version.
            while try !work.transaction.value(
              "select exists (select from core.workflow_choice c where c.company_id = \(shop.company.id) and c.version = 2)",
              as: Bool.self
            ) {
              try work.transaction.execute("select pg_sleep(0.02)")
            }
            return answer
          }
        }
        try await until { decisions.value == 1 }
        _ = try await Self.workflows(shop).activate(shop.operatorContext, type: "trial.order", version: 2)
        try await group.waitForAll()
      }
    }
    #expect(error.code == .unknownTransition, "under version 2 nothing is parked")
    #expect(decisions.value == 1, "the second attempt decides nothing")
    let now = try await shop.records.show(shop.operatorContext, type: "trial.order", id: order.id)
    #expect(now["status"] == "draft")
    await engine.close()
  }

  @Test func `a process that runs for long notices what a company follows by now`() async throws {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.trial(engine)
    let worker = try await Records.open(engine.services)
    let order = try await shop.order()
    try await shop.move("submit", order.id)
    #expect(
      try await worker.available(shop.acting("user"), type: "trial.order", id: order.id) == ["park"]
    )
    try await TrialApp.install(2, order: Self.second(), on: engine.database)
    _ = try await Self.workflows(shop).activate(shop.operatorContext, type: "trial.order", version: 2)
    #expect(
      try await worker.available(shop.acting("admin"), type: "trial.order", id: order.id)
        == ["approve", "reject", "wait"]
    )
    let waits = try await worker.transition(
      shop.acting("admin"),
      type: "trial.order",
      id: order.id,
      request: TransitionRequest("wait")
    )
    #expect(waits.status == "waiting")
    await engine.close()
  }

  @Test func `versions that no company follows are forgotten by the guard, and no other`() async throws {
    let engine = try await TrialApp.engine()
    let first = try await Workshop.trial(engine)
    let second = try await Workshop.trial(engine)
    try await TrialApp.install(2, order: Self.second(), on: engine.database)
    let workflows = Self.workflows(first)
    _ = try await workflows.activate(first.operatorContext, type: "trial.order", version: 2)
    #expect(try await workflows.dropSuperseded("trial.order") == [])
    _ = try await workflows.activate(second.operatorContext, type: "trial.order", version: 2)
    #expect(try await workflows.dropSuperseded("trial.order") == [1])
    let left = try await engine.superuser.rows(
      "select distinct version from core.workflow_state where record_type = 'trial.order'",
      Int.self
    )
    #expect(left == [2])
    let ways = try await engine.superuser.rows(
      """
      select encode(t.tgargs, 'escape') from pg_trigger t
      join core.record_type r on t.tgrelid = format('%I.%I', r.table_schema, r.table_name)::regclass
      where t.tgname = 'guard' and r.name = 'trial.order'
      """,
      String.self
    )
    #expect(ways.count == 1)
    #expect(ways.first?.contains("|review>waiting:open|") == true)
    #expect(ways.first?.contains("parked") == false, "what the guard knows by heart, too")
    let server = Workflows(engine.services, first.records)
    #expect(try await server.dropSuperseded("trial.order") == [], "and a server cannot")
    await engine.close()
  }

  @Test func `activation requires a permission, and moves a company with records only forwards`() async throws
  {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.trial(engine)
    try await TrialApp.install(2, order: Self.second(), on: engine.database)
    let workflows = Self.workflows(shop)
    let forbidden = try await refused {
      _ = try await workflows.activate(shop.acting("user"), type: "trial.order", version: 2)
    }
    #expect(forbidden.code == .forbidden)
    let missing = try await refused {
      _ = try await workflows.activate(shop.operatorContext, type: "trial.order", version: 7)
    }
    #expect(missing.code == .notFound)
    #expect(missing.hint.contains("1, 2"))
    _ = try await shop.order()
    _ = try await workflows.activate(shop.acting("owner"), type: "trial.order", version: 2)
    let back = try await refused {
      _ = try await workflows.activate(shop.operatorContext, type: "trial.order", version: 1)
    }
    #expect(back.code == .invalidInput)
    await engine.close()
  }
}
