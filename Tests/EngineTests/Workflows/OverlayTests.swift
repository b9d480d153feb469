import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// A company tightens its workflow, without effect on others.
@Suite(.serialized, .timeLimit(.minutes(60))) struct OverlayTests {
  private static func overlay(_ tighten: String, relabel: String = "{}", version: Int = 1) throws
    -> WorkflowOverlay
  {
    let text = "overlay: trial.order@\(version)\ntighten: \(tighten)\nrelabel: \(relabel)\n"
    return try YAMLDocument.decode(WorkflowOverlay.self, text, document: "overlay.yaml")
  }

  private static func workflows(_ shop: Workshop) -> Workflows {
    Workflows(shop.engine.operators, shop.records)
  }

  @Test func `it holds for its company from the next command on, in every process, and for no other`()
    async throws
  {
    let shop = try await Workshop.trial()
    let other = try await Workshop.trial()
    let server = try await Records.open(shop.engine.services)
    let overlay = try Self.overlay(
      """
      { transitions: {
          submit: { guards: [{ path: '$.amount <= 50', message: The amount is too high here }], require: { fields: [note], comment: { min: 5 } } },
          park: { disabled: true } },
        states: { review: { after: { nudge: { delay: PT1H } } } } }
      """,
      relabel: "{ review: In Prüfung }"
    )
    let dear = try await shop.order("user", ["amount": 60, "note": "x"])
    let cheap = try await shop.order("user", ["amount": 40])
    #expect(
      try await server.available(shop.acting("user"), type: "trial.order", id: dear.id) == ["submit", "park"]
    )
    try await Self.workflows(shop).setOverlay(shop.acting("admin"), overlay)

    #expect(try await server.available(shop.acting("user"), type: "trial.order", id: dear.id) == [])
    #expect(try await server.available(shop.acting("user"), type: "trial.order", id: cheap.id) == ["submit"])
    let guarded = try await refused { try await shop.move("submit", dear.id, comment: "please") }
    #expect(guarded.code == .guardRefused)
    #expect(guarded.message.contains("The amount is too high here"))
    let missing = try await refused { try await shop.move("submit", cheap.id, comment: "pls") }
    #expect(missing.details["fields"] == ["note", "comment"])
    let disabled = try await refused { try await shop.move("park", cheap.id) }
    #expect(disabled.code == .transitionDisabled)
    let done = try await shop.records.transition(
      shop.acting("user"),
      type: "trial.order",
      id: cheap.id,
      request: TransitionRequest("submit", comment: "please", fields: ["note": "for the shed"])
    )
    #expect(done.status == "review")
    let due = try await shop.engine.superuser.value(
      "select round(extract(epoch from due_at - now()) / 60)::int from core.timer where record_id = \(cheap.id)",
      as: Int.self
    )
    #expect(due == 60)
    let summary = try await Self.workflows(shop).show("trial.order", shop.operatorContext)
    #expect(summary.isTightened)
    #expect(summary.definition.state("review")?.label == "In Prüfung")

    let free = try await other.order("user", ["amount": 60])
    #expect(try await other.move("park", free.id).status == "parked")

    try await Self.workflows(shop).removeOverlay(shop.operatorContext, of: "trial.order")
    #expect(
      try await server.available(shop.acting("user"), type: "trial.order", id: dear.id) == ["submit", "park"]
    )
    #expect(try await Self.workflows(shop).overlay(shop.operatorContext, of: "trial.order") == nil)
  }

  @Test func `it is audited, kept as it was written, and takes a permission`() async throws {
    let shop = try await Workshop.trial()
    let overlay = try Self.overlay("{ transitions: { reject: { require: { comment: { min: 20 } } } } }")
    let forbidden = try await refused {
      try await Self.workflows(shop).setOverlay(shop.acting("user"), overlay)
    }
    #expect(forbidden.code == .forbidden)
    try await Self.workflows(shop).setOverlay(shop.acting("owner"), overlay, dryRun: true)
    #expect(try await Self.workflows(shop).overlay(shop.operatorContext, of: "trial.order") == nil)
    try await Self.workflows(shop).setOverlay(shop.acting("owner"), overlay)
    #expect(try await Self.workflows(shop).overlay(shop.acting("viewer"), of: "trial.order") == overlay)
    try await Self.workflows(shop).removeOverlay(shop.acting("owner"), of: "trial.order")
    let audited = try await shop.engine.superuser.rows(
      """
      select action || ' ' || subject_id || ' ' || actor_kind from core.audit
      where company_id = \(shop.company.id) and subject_type = 'workflow' order by at
      """,
      String.self
    )
    #expect(
      audited == ["workflow.overlay_set trial.order member", "workflow.overlay_removed trial.order member"]
    )
    let missing = try await refused {
      try await Self.workflows(shop).removeOverlay(shop.operatorContext, of: "trial.order")
    }
    #expect(missing.code == .notFound)
  }

  @Test func `a loosening, misspelt or unreadable overlay is refused and leaves nothing`() async throws {
    let shop = try await Workshop.trial()
    let cases: [(String, String)] = [
      ("{ transitions: { reject: { require: { comment: { min: 1 } } } } }", "overlay_shorter_comment"),
      ("{ transitions: { submit: { guards: [{ path: '$.amuont > 1', message: x y }] } } }", "unknown_field"),
      ("{ transitions: { submit: { guards: [{ path: '$.amount >', message: x y }] } } }", "guard_unparsable"),
      ("{ transitions: { submit: { guards: [{ path: '$.** > 1', message: x y }] } } }", "guard_over_budget"),
      ("{ transitions: { submit: { permission: trial.order.read } } }", "overlay_changes_rights"),
    ]
    for (tighten, code) in cases {
      let error = try await refused {
        try await Self.workflows(shop).setOverlay(shop.operatorContext, Self.overlay(tighten))
      }
      #expect(error.code == .invalidWorkflow)
      let codes = error.details["findings"]?.array?.compactMap { $0.object?["code"]?.string } ?? []
      #expect(codes.contains(code), "\(error)")
    }
    #expect(try await Self.workflows(shop).overlay(shop.operatorContext, of: "trial.order") == nil)
  }

  @Test
  func `it goes along to a new version where it still fits, and holds the activation up where it does not`()
    async throws
  {
    let engine = try await TrialApp.engine()
    let fits = try await Workshop.trial(engine)
    let gone = try await Workshop.trial(engine)
    try await Self.workflows(fits).setOverlay(
      fits.operatorContext,
      Self.overlay("{ transitions: { reject: { require: { comment: { min: 20 } } } } }")
    )
    try await Self.workflows(gone).setOverlay(
      gone.operatorContext,
      Self.overlay("{ transitions: { park: { disabled: true } } }")
    )
    let second = TrialApp.orderWorkflow
      .replacing("version: 1", with: "version: 2")
      .replacing("  park: { from: [draft, review]", with: "  shelve: { from: [draft, review]")
    try await TrialApp.install(2, order: second, on: engine.database)
    _ = try await Self.workflows(fits).activate(fits.operatorContext, type: "trial.order", version: 2)
    let order = try await fits.order()
    try await fits.move("submit", order.id)
    let short = try await refused {
      try await fits.move("reject", order.id, as: "admin", comment: "too short")
    }
    #expect(short.code == .missingFields)

    let held = try await refused {
      _ = try await Self.workflows(gone).activate(gone.operatorContext, type: "trial.order", version: 2)
    }
    #expect(held.code == .invalidWorkflow)
    #expect(held.hint.contains("trial.order@2"))
    try await Self.workflows(gone).setOverlay(
      gone.operatorContext,
      Self.overlay("{ transitions: { shelve: { disabled: true } } }", version: 2)
    )
    let before = try await gone.order()
    #expect(
      try await gone.records.available(gone.acting("user"), type: "trial.order", id: before.id) == ["submit"]
    )
    _ = try await Self.workflows(gone).activate(gone.operatorContext, type: "trial.order", version: 2)
    let after = try await refused { try await gone.move("shelve", before.id) }
    #expect(after.code == .transitionDisabled)
    await engine.close()
  }

  @Test func `another company can neither see nor change it`() async throws {
    let shop = try await Workshop.trial()
    let other = try await Workshop.trial()
    try await Self.workflows(shop).setOverlay(
      shop.operatorContext,
      Self.overlay("{ transitions: { park: { disabled: true } } }")
    )
    let seen = try await shop.engine.services.database.transaction(.inside(other.company.id)) { tx in
      try tx.value("select count(*) from core.workflow_overlay", as: Int64.self)
        + tx.value("select count(*) from core.workflow_choice", as: Int64.self)
    }
    #expect(seen == 0)
  }
}
