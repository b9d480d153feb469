import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// The rows that a unit of work writes for a successful command, and reads of them.
@Suite struct RecordWritingTests {
  @Test func `an entry is made, edited, started and completed, and history tells who did what`() async throws
  {
    let shop = try await Workshop.open()
    let created = try await shop.records.create(
      shop.acting("user"),
      type: "maintenance.entry",
      fields: shop.fields()
    )
    #expect(created.version == 1)
    #expect(created.status == "pending")
    let edited = try await shop.records.update(
      shop.acting("user"),
      type: "maintenance.entry",
      id: created.id,
      fields: ["description": "leaks oil"],
      version: 1
    )
    #expect(edited.version == 2)
    #expect(try await shop.take("start", created.id).status == "in_progress")
    let done = try await shop.take("complete", created.id, comment: "sealed")
    #expect(done.status == "completed")
    #expect(done.version == 4)

    let entry = try await shop.records.show(shop.acting("viewer"), type: "maintenance.entry", id: created.id)
    #expect(entry["description"] == "leaks oil")
    #expect(entry["status_category"] == "done")
    #expect(entry["created_by_name"] == "Member user")
    let user = try #require(shop.members["user"]?.userID)
    #expect(entry["started_by"] == .id(user))
    #expect(entry["completed_by"] == .id(user))
    #expect(entry["completed_at"]?.string != nil)

    let history = try await shop.records.history(
      shop.acting("viewer"),
      type: "maintenance.entry",
      id: created.id
    )
    #expect(history.map(\.seq) == [1, 2, 3, 4])
    #expect(history.map(\.kind) == ["create", "edit", "transition", "transition"])
    #expect(history.map(\.transition) == [nil, nil, "start", "complete"])
    #expect(history.map(\.from) == [nil, nil, "pending", "in_progress"])
    #expect(history.map(\.to) == ["pending", nil, "in_progress", "completed"])
    #expect(history.last?.comment == "sealed")
    #expect(Set(history.map(\.actor)) == ["Member user"])
    let change = try history[1].changes.value().object?["description"]
    #expect(change == ["leaks", "leaks oil"])
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `an operator who acts for a member is named beside them, and audited`() async throws {
    let shop = try await Workshop.open()
    let user = try #require(shop.members["user"]?.userID)
    let acting = ActingContext(company: shop.company, actor: .operator("root", as: user), user: user)
    let entry = try await shop.records.create(acting, type: "maintenance.entry", fields: shop.fields())
    let line = try #require(
      try await shop.records.history(acting, type: "maintenance.entry", id: entry.id).first
    )
    #expect(line.actorKind == "operator")
    #expect(line.actor == "root")
    #expect(line.onBehalfOf == "Member user")
    let audited = try await shop.engine.superuser.value(
      """
      select count(*) from core.audit
      where company_id = \(shop.company.id) and subject_id = \(entry.id.uuidString.lowercased()) and action = 'record.create'
      """,
      as: Int64.self
    )
    #expect(audited == 1)
  }

  @Test func `text of every kind survives, and the chain over it verifies`() async throws {
    let shop = try await Workshop.open()
    let text = "it's \"odd\"; \\ \u{7} \u{202E}kcab 🛠️ é e\u{301} $1 {\n\t}"
    let entry = try await shop.entry(
      "user",
      [
        "description": .string(text), "estimated_hours": JSONValue(parsing: "2.50"),
        "actual_cost": JSONValue(parsing: "1e2"),
      ]
    )
    let shown = try await shop.records.show(shop.acting("user"), type: "maintenance.entry", id: entry)
    #expect(shown["description"] == .string(text))
    #expect(try shown["estimated_hours"] == JSONValue(parsing: "2.5"))
    #expect(shown["actual_cost"] == 100)
    #expect(try await shop.records.verify(shop.operatorContext, type: "maintenance.entry", id: entry) == nil)
  }

  @Test func `a change of the past, of the order or of the end of a history is found`() async throws {
    let shop = try await Workshop.open()
    let tampering: [(SQL, Int64, HistoryChain.Break.Reason)] = [
      ("update core.history set comment = 'never said' where seq = 2", 2, .altered),
      (
        "update core.history set changes = '{\"description\": [null, \"nothing\"]}' where seq = 1", 1,
        .altered
      ),
      ("update core.history set actor_name = 'Somebody else' where seq = 3", 3, .altered),
      (
        "update core.history set occurred_at = occurred_at + interval '1 microsecond' where seq = 3", 3,
        .altered
      ),
      ("update core.history set actor_id = gen_random_uuid() where seq = 2", 2, .altered),
      ("update core.history set to_status = 'completed' where seq = 2", 2, .altered),
      ("delete from core.history where seq = 2", 2, .missing),
      ("delete from core.history where seq = 3", 3, .missing),
    ]
    for (change, seq, reason) in tampering {
      let entry = try await shop.entry()
      try await shop.take("start", entry)
      try await shop.take("complete", entry)
      #expect(
        try await shop.records.verify(shop.operatorContext, type: "maintenance.entry", id: entry) == nil
      )
      try await shop.engine.superuser.execute("\(change) and record_id = \(entry)")
      let found = try await shop.records.verify(shop.operatorContext, type: "maintenance.entry", id: entry)
      #expect(found?.seq == seq, "\(change)")
      #expect(found?.reason == reason, "\(change)")
    }
  }

  @Test func `a person can be erased from a history, and the rest still proves itself`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    let superuser = shop.engine.superuser
    try await superuser.execute(
      "select core.erase_history(\(shop.company.id), 'maintenance.entry', \(entry), null, 'request')"
    )
    #expect(try await shop.records.verify(shop.operatorContext, type: "maintenance.entry", id: entry) == nil)
    try await superuser.execute(
      "update core.history set comment = 'put in their mouth' where record_id = \(entry) and seq = 2"
    )
    let found = try await shop.records.verify(shop.operatorContext, type: "maintenance.entry", id: entry)
    #expect(found?.seq == 2)
  }

  @Test
  func
    `each write takes the next number of the company's feed, and the machine that shows it the one behind`()
    async throws
  {
    let shop = try await Workshop.open()
    let before = try await Self.lastNumber(shop)
    #expect(before == 2, "the machine and the category")
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    try await shop.take("pause", entry)
    #expect(try await Self.lastNumber(shop) == before + 6)
    let row = try await shop.engine.superuser.first(
      "select seq, op, version from core.feed where company_id = \(shop.company.id) and record_id = \(entry)",
      Int64.self,
      String.self,
      Int64.self
    )
    let (seq, operation, version) = try #require(row)
    #expect(seq == before + 5)
    #expect(operation == "put")
    #expect(version == 3)
  }

  @Test func `a reminder writes history and a notice, and leaves version and feed alone`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let number = try await Self.lastNumber(shop)
    let answer = try await shop.records.transition(
      shop.system,
      type: "maintenance.entry",
      id: entry,
      request: TransitionRequest("remind")
    )
    #expect(answer.version == 1)
    #expect(try await Self.lastNumber(shop) == number)
    #expect(try await shop.count("history", of: entry) == 2)
    #expect(try await shop.count("job", of: entry) == 1)
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `entering a status arms its timers, under the number of that entry`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    let timers = try await shop.engine.superuser.rows(
      """
      select fire, entry_no, coalesce(remaining, 0), round(extract(epoch from due_at - now()) / 3600)::bigint
      from core.timer where company_id = \(shop.company.id) and record_id = \(entry) order by entry_no
      """,
      String.self,
      Int64.self,
      Int32.self,
      Int64.self
    )
    #expect(timers.map(\.0) == ["remind", "escalate"])
    #expect(timers.map(\.1) == [1, 2])
    #expect(timers.map(\.2) == [4, 0])
    #expect(timers.map(\.3) == [168, 72])
  }

  private static func lastNumber(_ shop: Workshop) async throws -> Int64 {
    try await shop.engine.superuser.value(
      "select max(seq) from core.feed where company_id = \(shop.company.id)",
      as: Int64.self
    )
  }
}
