import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Glibc
import Postgres
import Store
import TestDatabase
import Testing

/// Workflow versions and live records: no record moves unnoticed, and none is left behind.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ActivationTests {
  /// The second version: the state `parked` is removed, and a decision may be deferred.
  static func second(migrate: String? = "{ parked: draft }") -> String {
    let text = TrialApp.orderWorkflow
      .replacing("version: 1", with: "version: 2")
      .replacing("  parked: { label: Parked, category: open, color: yellow }\n", with: "")
      .replacing(
        "  approved: {",
        with:
          "  waiting: { label: Waiting, category: open, after: [{ delay: P1D, fire: resume }] }\n  approved: {"
      )
      .replacing("  park: { from: [draft, review], to: parked, permission: trial.order.submit }\n", with: "")
      .replacing(
        "  unpark: { from: [parked], to: draft, permission: trial.order.submit }\n",
        with: """
            wait: { from: [review], to: waiting, permission: trial.order.decide }
            resume: { from: [waiting], to: review, by: system }

          """
      )
    return migrate.map { "\(text)\nmigrate: \($0)" } ?? text
  }

  static func diary(migrate: String = "{ shelved: open }") -> String {
    TrialApp.diaryWorkflow
      .replacing("version: 1", with: "version: 2")
      .replacing("  shelved: { label: Shelved, category: open }\n", with: "")
      .replacing("  shelve: { from: [open], to: shelved, permission: trial.diary.finish }\n", with: "")
      .replacing("  unshelve: { from: [shelved], to: open, permission: trial.diary.finish }\n", with: "")
      .replacing("from: [open, shelved]", with: "from: [open]") + "\nmigrate: \(migrate)"
  }

  static func workflows(_ shop: Workshop) -> Workflows {
    Workflows(shop.engine.operators, shop.records)
  }

  @Test func `a company stays on its version until it is activated, and a new one begins with the newest`()
    async throws
  {
    let engine = try await TrialApp.engine()
    let old = try await Workshop.trial(engine)
    let order = try await old.order()
    try await TrialApp.install(2, order: Self.second(), on: engine.database)
    let new = try await Workshop.trial(engine)

    #expect(try await old.move("park", order.id).status == "parked")
    let fresh = try await new.order()
    let error = try await refused { try await new.move("park", fresh.id) }
    #expect(error.code == .unknownTransition)
    try await new.move("submit", fresh.id)
    #expect(try await new.move("wait", fresh.id, as: "admin").status == "waiting")
    #expect(
      try await Self.workflows(old).list(old.operatorContext).first { $0.type == "trial.order" }?.definition
        .version
        == 1
    )
    #expect(
      try await Self.workflows(new).list(new.operatorContext).first { $0.type == "trial.order" }?.definition
        .version
        == 2
    )
    // Another company's version has states that this one has never seen.
    let condition = RecordCondition("status", .equal, ["xyz"])
    let unknown = try await refused {
      _ = try await old.records.resolvingNames(in: condition, type: "trial.order", old.operatorContext)
    }
    #expect(unknown.hint.contains("parked") && !unknown.hint.contains("waiting"), "\(unknown.hint)")
    #expect(try await Integrity(shop: old).faults() == [])
    #expect(try await Integrity(shop: new).faults() == [])
    await engine.close()
  }

  @Test func `records in a state that the new version lacks and does not map refuse it, with their number`()
    async throws
  {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.trial(engine)
    for _ in 0..<3 { try await shop.move("park", shop.order().id) }
    _ = try await shop.order()
    // The installation already refuses a missing map for a state of the version in force, so it is removed
    // afterwards.
    try await TrialApp.install(2, order: Self.second(migrate: "{ parked: draft }"), on: engine.database)
    try await engine.superuser.execute(
      """
      update core.workflow_definition set body = body - 'migrate'
      where record_type = 'trial.order' and version = 2
      """
    )
    let before = try await shop.rows()
    let error = try await refused {
      _ = try await Self.workflows(shop).activate(shop.operatorContext, type: "trial.order", version: 2)
    }
    #expect(error.code == .statesStillUsed)
    #expect(error.message.contains("parked 3"))
    #expect(error.details["states"] == ["parked": 3])
    #expect(try await shop.rows() == before)
    let id = try await shop.order().id
    #expect(try await shop.move("park", id).status == "parked", "and the company is where it was")
    await engine.close()
  }

  @Test func `ten thousand records are moved by the map, each with its entry of history`() async throws {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.trial(engine)
    try await shop.fill(10_000, status: "parked")
    let kept = try await shop.order()
    try await TrialApp.install(2, order: Self.second(), on: engine.database)

    let workflows = Self.workflows(shop)
    let dry = try await workflows.activate(
      shop.operatorContext,
      type: "trial.order",
      version: 2,
      dryRun: true
    )
    #expect(dry.plan.moving == 10_000)
    #expect(dry.moved == 0)
    let done = try await workflows.activate(shop.operatorContext, type: "trial.order", version: 2)
    #expect(done.moved == 10_000)
    let counts = try await engine.superuser.rows(
      """
      select concat_ws(' ', t.status, t.version, h.kind, h.from_status, h.to_status, h.definition_version, h.actor_kind,
        f.version, count(*))
      from trial.order t
      join core.history h on h.company_id = t.company_id and h.record_id = t.id and h.seq = t.history_seq
      join core.feed f on f.company_id = t.company_id and f.record_id = t.id
      where t.company_id = \(shop.company.id) and t.id <> \(kept.id)
      group by t.status, t.version, h.kind, h.from_status, h.to_status, h.definition_version, h.actor_kind, f.version
      """,
      String.self
    )
    #expect(counts == ["draft 2 migrate parked draft 2 system 2 10000"])
    let some = try await engine.superuser.rows(
      "select id from trial.order where company_id = \(shop.company.id) order by id limit 5",
      UUID.self
    )
    for id in some {
      #expect(try await shop.records.verify(shop.operatorContext, type: "trial.order", id: id) == nil)
    }
    let untouched = try await shop.records.show(shop.operatorContext, type: "trial.order", id: kept.id)
    #expect(untouched["version"] == 1)

    let again = try await workflows.activate(shop.operatorContext, type: "trial.order", version: 2)
    #expect(!again.changed)
    let audited = try await engine.superuser.rows(
      "select action from core.audit where company_id = \(shop.company.id) and subject_type = 'workflow' order by at",
      String.self
    )
    #expect(audited == ["workflow.activation_begun", "workflow.activated"])
    await engine.close()
  }

  @Test func `a deleted record is moved along, and no timer is set for it`() async throws {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.trial(engine)
    let (living, deleted) = (try await shop.order(), try await shop.order())
    for order in [living, deleted] { try await shop.move("park", order.id) }
    _ = try await shop.records.delete(shop.acting("admin"), type: "trial.order", id: deleted.id)
    try await TrialApp.install(2, order: Self.second(migrate: "{ parked: waiting }"), on: engine.database)
    let done = try await Self.workflows(shop).activate(shop.operatorContext, type: "trial.order", version: 2)
    #expect(done.moved == 2)
    let timers = try await engine.superuser.rows(
      "select t.record_id, t.fire from core.timer t where t.company_id = \(shop.company.id)",
      UUID.self,
      String.self
    )
    #expect(timers.map(\.0) == [living.id])
    #expect(timers.map(\.1) == ["resume"])
    #expect(try await Integrity(shop: shop).faults() == [])
    let back = try await shop.records.restore(shop.acting("admin"), type: "trial.order", id: deleted.id)
    #expect(back.status == "waiting")
    await engine.close()
  }

  @Test func `an activation that ended half way is understood by everybody and goes on where it stopped`()
    async throws
  {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.trial(engine)
    let moved = try await shop.order()
    let left = try await shop.order()
    for order in [moved, left] {
      try await shop.move("submit", order.id)
    }
    try await shop.move("park", left.id)
    try await TrialApp.install(2, order: Self.second(), on: engine.database)
    // The state after a process was killed behind its first batch: the activation is under way, one record
    // has moved.
    try await engine.superuser.execute(
      """
      insert into core.workflow_choice (company_id, record_type, version, next_version)
      values (\(shop.company.id), 'trial.order', 1, 2)
      """
    )
    try await engine.superuser.execute(
      "update core.company set workflow_revision = workflow_revision + 1 where id = \(shop.company.id)"
    )
    try await engine.superuser.transaction { tx in
      try tx.execute("set local fettle.write = 'migrate'")
      try tx.execute(
        "update trial.order set status = 'waiting', status_category = 'open' where id = \(moved.id)"
      )
    }
    #expect(try await shop.records.available(shop.system, type: "trial.order", id: moved.id) == ["resume"])
    let resumed = try await shop.records.transition(
      shop.system,
      type: "trial.order",
      id: moved.id,
      request: TransitionRequest("resume")
    )
    #expect(resumed.status == "review", "a state of the new version only follows the new version")
    #expect(try await shop.move("unpark", left.id).status == "draft", "the others follow the old one")
    try await shop.move("park", left.id)

    let done = try await Self.workflows(shop).activate(shop.operatorContext, type: "trial.order", version: 2)
    #expect(done.moved == 1)
    let order = try await shop.records.show(shop.operatorContext, type: "trial.order", id: left.id)
    #expect(order["status"] == "draft")
    await engine.close()
  }

  @Test func `a record that enters a state of the version before meanwhile is moved before the end`()
    async throws
  {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.trial(engine)
    let (parked, late) = (try await shop.order(), try await shop.order())
    try await shop.move("park", parked.id)
    try await TrialApp.install(2, order: Self.second(), on: engine.database)
    let (isMoved, isEntered) = (Flag(), Flag())
    let entering = Task {
      defer { isEntered.raise() }
      while !isMoved.isRaised { await Task.yield() }
      // Simulates a command that decided under the previous version and commits after the other records have
      // moved.
      try await engine.superuser.transaction { tx in
        try tx.execute("set local fettle.write = 'migrate'")
        try tx.execute("update trial.order set status = 'parked' where id = \(late.id)")
      }
    }
    let done = try await Self.workflows(shop).activate(shop.operatorContext, type: "trial.order", version: 2)
    { _, _ in
      isMoved.raise()
      while !isEntered.isRaised { sched_yield() }
    }
    try await entering.value
    #expect(done.moved == 2)
    for order in [parked, late] {
      let shown = try await shop.records.show(shop.operatorContext, type: "trial.order", id: order.id)
      #expect(shown["status"] == "draft")
    }
    await engine.close()
  }

  @Test func `private records are moved too, each as its owner's`() async throws {
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.trial(engine)
    var diaries: [(String, UUID)] = []
    for name in ["user", "admin", "user"] {
      let made = try await shop.records.create(shop.acting(name), type: "trial.diary", fields: ["title": "x"])
      _ = try await shop.records.transition(
        shop.acting(name),
        type: "trial.diary",
        id: made.id,
        request: TransitionRequest("shelve")
      )
      diaries.append((name, made.id))
    }
    try await TrialApp.install(2, diary: Self.diary(), on: engine.database)
    let done = try await Self.workflows(shop).activate(shop.acting("admin"), type: "trial.diary", version: 2)
    #expect(done.plan.moving == 3)
    #expect(done.moved == 3)
    for (name, id) in diaries {
      let diary = try await shop.records.show(shop.acting(name), type: "trial.diary", id: id)
      #expect(diary["status"] == "open")
      let history = try await shop.records.history(shop.acting(name), type: "trial.diary", id: id)
      #expect(history.map(\.kind) == ["create", "transition", "migrate"])
    }
    let scopes = try await engine.superuser.rows(
      "select distinct scope from core.feed where company_id = \(shop.company.id) and record_type = 'trial.diary'",
      String.self
    )
    #expect(scopes.allSatisfy { $0.hasPrefix("trial.diary/") })
    #expect(scopes.count == 2)
    await engine.close()
  }

}
