import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Consequences of a write through hooks: in the same transaction, or not at all.
@Suite(.serialized, .timeLimit(.minutes(60))) struct HookTests {
  @Test func `a new record is moved on by the system in the same unit of work`() async throws {
    let shop = try await Workshop.trial()
    let answer = try await shop.order("user", ["kind": "rush", "amount": 100])
    #expect(answer.status == "review")
    #expect(answer.version == 2)
    let history = try await shop.records.history(shop.acting("user"), type: "trial.order", id: answer.id)
    #expect(history.map(\.kind) == ["create", "transition"])
    #expect(history.map(\.transition) == [nil, "rush"])
    #expect(history.map(\.actorKind) == ["member", "system"])
    #expect(try await shop.records.verify(shop.operatorContext, type: "trial.order", id: answer.id) == nil)
    let requests = try await shop.engine.superuser.value(
      "select count(distinct request_id) from core.history where record_id = \(answer.id)",
      as: Int64.self
    )
    #expect(requests == 1)
    #expect(try await shop.jobs(of: answer.id) == ["trial.scan"])
    let timers = try await shop.engine.superuser.rows(
      "select entry_no from core.timer where company_id = \(shop.company.id) and record_id = \(answer.id)",
      Int64.self
    )
    #expect(timers == [2], "the timer of the status that the hook led to")
    let feed = try await shop.engine.superuser.rows(
      "select version from core.feed where company_id = \(shop.company.id) and record_id = \(answer.id)",
      Int64.self
    )
    #expect(feed == [2])
  }

  @Test func `a hook whose condition does not hold, or is null, does nothing`() async throws {
    let shop = try await Workshop.trial()
    for fields: JSONObject in [["kind": "calm"], [:], ["kind": .null]] {
      let answer = try await shop.order("user", fields)
      #expect(answer.status == "draft")
      #expect(try await shop.jobs(of: answer.id) == [])
    }
  }

  @Test func `fields are compared as the columns' types, however they were written`() async throws {
    let shop = try await Workshop.trial()
    let answer = try await shop.order("user", ["kind": "rush", "amount": "11"])
    #expect(try await shop.jobs(of: answer.id) == ["trial.scan"])
    let little = try await shop.order("user", ["kind": "rush", "amount": "9"])
    #expect(try await shop.jobs(of: little.id) == [])
    #expect(little.status == "review")
  }

  @Test func `a guard of the transition that refuses leaves the record where it is`() async throws {
    let shop = try await Workshop.trial()
    let answer = try await shop.order("user", ["kind": "rush", "amount": 900])
    #expect(answer.status == "draft")
    #expect(try await shop.jobs(of: answer.id) == ["trial.scan"])
  }

  @Test func `a change of a named column enqueues the job, with the change it is about`() async throws {
    let shop = try await Workshop.trial()
    let id = try await shop.order().id
    _ = try await shop.records.update(
      shop.acting("user"),
      type: "trial.order",
      id: id,
      fields: ["note": "soon"]
    )
    #expect(try await shop.jobs(of: id) == [])
    _ = try await shop.records.update(
      shop.acting("user"),
      type: "trial.order",
      id: id,
      fields: ["amount": 30]
    )
    #expect(try await shop.jobs(of: id) == ["trial.rate"])
    let payload = try await shop.engine.superuser.value(
      "select payload from core.job_payload where company_id = \(shop.company.id) and cause_id = \(id)",
      as: JSON.self
    ).value()
    #expect(payload == ["record_type": "trial.order", "record_id": .id(id), "history_seq": 3])
  }

  @Test func `a transition that sets a named column counts as a change of it`() async throws {
    let shop = try await Workshop.trial()
    // The order's creator watches the changes of others.
    let expectations: [(Int, [String])] = [
      (20, ["notify.send", "watchers.tell"]), (200, ["notify.send", "trial.audit", "watchers.tell"]),
    ]
    for (amount, expected) in expectations {
      let id = try await shop.order("user", ["amount": .integer(amount)]).id
      try await shop.move("submit", id)
      try await shop.move("approve", id, as: "admin")
      #expect(try await shop.jobs(of: id) == expected)
    }
  }

  @Test func `an effect creates another record from this one, and its own hooks follow`() async throws {
    let shop = try await Workshop.trial()
    let id = try await shop.order().id
    try await shop.move("submit", id)
    let approved = try await shop.move("approve", id, as: "admin")
    #expect(approved.status == "approved")
    let tasks = try await shop.records.list(shop.acting("owner"), type: "trial.task", RecordQuery())
    let task = try #require(tasks.first)
    #expect(tasks.count == 1)
    #expect(task["order_id"] == .id(id))
    #expect(task["title"] == "Bolts")
    #expect(task["source"] == "approval")
    #expect(task["created_by"] == .null)
    let made = try #require(task["id"]?.string.flatMap(UUID.init))
    #expect(try await shop.jobs(of: made) == ["trial.scan"])
    let history = try await shop.records.history(shop.acting("owner"), type: "trial.task", id: made)
    #expect(history.map(\.actorKind) == ["system"])
    #expect(try await shop.records.verify(shop.operatorContext, type: "trial.task", id: made) == nil)
  }

  @Test func `a transition whose effect cannot create leaves nothing`() async throws {
    let shop = try await Workshop.trial()
    let id = try await shop.order("user", ["title": .null]).id
    // The title was required but may be cleared later; a task without a title is refused.
    _ = try await shop.records.update(
      shop.acting("user"),
      type: "trial.order",
      id: id,
      fields: ["title": "x"]
    )
    try await shop.move("submit", id)
    _ = try await shop.records.update(
      shop.acting("user"),
      type: "trial.order",
      id: id,
      fields: ["title": .null]
    )
    let before = try await shop.rows()
    let error = try await refused { try await shop.move("approve", id, as: "admin") }
    #expect(error.code == .missingFields)
    #expect(try await shop.rows() == before)
    let order = try await shop.records.show(shop.acting("user"), type: "trial.order", id: id)
    #expect(order["status"] == "review")
  }

  @Test func `a timer whose transition is refused half way leaves nothing and waits for its next time`()
    async throws
  {
    let engine = try await EngineFixture.open(TestDatabase.make())
    let order = TrialApp.orderWorkflow.replacing(
      "effects: [{ notify: { to: 'role:admin', template: order_waits } }]",
      with:
        "effects: [{ notify: { to: 'role:admin', template: order_waits } }, { create: { type: trial.task, set: { order_id: $.id, title: $.title } } }]"
    )
    try await TrialApp.install(order: order, on: engine.database)
    let worker = engine.database.connect(as: "fettle_worker", poolSize: 2)
    let records = try await Records.open(
      Services(database: worker) {
        throw DomainError(.unavailable, "these tests need no keys")
      }
    )
    let shop = try await Workshop.trial(try await EngineFixture.open(engine.database))
    let id = try await shop.order().id
    try await shop.move("submit", id)
    _ = try await shop.records.update(
      shop.acting("user"),
      type: "trial.order",
      id: id,
      fields: ["title": .null]
    )
    try await engine.superuser.execute("update core.timer set due_at = now() - interval '1 hour'")
    let before = (try await shop.rows(), try await shop.jobs(of: id))
    let fired = try await records.fireNextTimer()
    #expect(fired?.outcome == .refused("missing_fields"))
    #expect(try await shop.rows() == before.0)
    #expect(try await shop.jobs(of: id) == before.1)
    #expect(
      try await engine.superuser.value(
        "select remaining from core.timer where record_id = \(id) and due_at > now()",
        as: Int.self
      ) == 3
    )
    await worker.close()
    await shop.engine.close()
    await engine.close()
  }

  @Test func `the writes of a hook are replayed under its key, and undone by a dry run`() async throws {
    let shop = try await Workshop.trial()
    let fields: JSONObject = ["title": "Nuts", "kind": "rush", "amount": 100]
    let dry = try await shop.records.create(
      shop.acting("user"),
      type: "trial.order",
      fields: fields,
      dryRun: true
    )
    #expect(dry.status == "review")
    #expect(try await shop.count("history", of: dry.id) == 0)
    let first = try await shop.records.create(
      shop.acting("user"),
      type: "trial.order",
      fields: fields,
      key: "k"
    )
    let again = try await shop.records.create(
      shop.acting("user"),
      type: "trial.order",
      fields: fields,
      key: "k"
    )
    #expect(first.id == again.id)
    #expect(again.version == 2)
  }
}
