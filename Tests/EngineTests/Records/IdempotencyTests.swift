import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// One key, one command: a repetition gets the first answer, and any other command under the key is refused.
@Suite struct IdempotencyTests {
  private static let type = "maintenance.entry"

  @Test func `the same command under the same key answers the same and is done once`() async throws {
    let shop = try await Workshop.open()
    let acting = shop.acting("user")
    let first = try await shop.records.create(acting, type: Self.type, fields: shop.fields(), key: "create")
    let again = try await shop.records.create(acting, type: Self.type, fields: shop.fields(), key: "create")
    #expect(again.id == first.id)
    let start = TransitionRequest("start")
    let started = try await shop.records.transition(
      acting,
      type: Self.type,
      id: first.id,
      request: start,
      key: "start"
    )
    let repeated = try await shop.records.transition(
      acting,
      type: Self.type,
      id: first.id,
      request: start,
      key: "start"
    )
    #expect(repeated.version == started.version)
    #expect(repeated.status == started.status)
    #expect(try await shop.count("history", of: first.id) == 2)
    #expect(try await shop.count("job", of: first.id) == 1)
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `a repetition answers as at first, although the record has moved on`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let start = TransitionRequest("start")
    _ = try await shop.records.transition(
      shop.acting("user"),
      type: Self.type,
      id: entry,
      request: start,
      key: "start"
    )
    try await shop.take("complete", entry)
    let repeated = try await shop.records.transition(
      shop.acting("user"),
      type: Self.type,
      id: entry,
      request: start,
      key: "start"
    )
    #expect(repeated.status == "in_progress")
    #expect(repeated.version == 2)
  }

  @Test func `another command under the key is a conflict and does nothing`() async throws {
    let shop = try await Workshop.open()
    let acting = shop.acting("user")
    let entry = try await shop.records.create(acting, type: Self.type, fields: shop.fields(), key: "key").id
    let before = try await shop.rows()
    let others: [@Sendable () async throws -> Void] = [
      {
        _ = try await shop.records.create(
          acting,
          type: Self.type,
          fields: shop.fields(["description": "other"]),
          key: "key"
        )
      },
      {
        _ = try await shop.records.create(
          acting,
          type: Self.type,
          id: entry,
          fields: shop.fields(),
          key: "key"
        )
      },
      {
        _ = try await shop.records.transition(
          acting,
          type: Self.type,
          id: entry,
          request: TransitionRequest("start"),
          key: "key"
        )
      },
      {
        _ = try await shop.records.update(
          acting,
          type: Self.type,
          id: entry,
          fields: ["priority": 1],
          key: "key"
        )
      },
    ]
    for other in others { #expect(try await refused { try await other() }.code == .idempotencyConflict) }
    #expect(try await shop.rows() == before)
  }

  @Test func `one key is another one of another actor`() async throws {
    let shop = try await Workshop.open()
    var made: [UUID] = []
    for name in ["user", "owner", "user", "owner"] {
      made.append(
        try await shop.records.create(
          shop.acting(name),
          type: Self.type,
          fields: shop.fields(),
          key: "key"
        ).id
      )
    }
    #expect(made[0] != made[1])
    #expect(made == [made[0], made[1], made[0], made[1]])
  }

  @Test func `a key is forgotten after a week`() async throws {
    let shop = try await Workshop.open()
    let acting = shop.acting("user")
    _ = try await shop.records.create(acting, type: Self.type, fields: shop.fields(), key: "old")
    _ = try await shop.records.create(acting, type: Self.type, fields: shop.fields(), key: "new")
    try await shop.engine.superuser.execute(
      """
      update core.idempotency set created_at = now() - interval '8 days'
      where company_id = \(shop.company.id) and key = 'old'
      """
    )
    _ = try await shop.engine.operators.database.value("select core.forget_answers(1000)", as: Int.self)
    let keys = try await shop.engine.superuser.rows(
      "select i.key from core.idempotency i where i.company_id = \(shop.company.id)",
      String.self
    )
    #expect(keys == ["new"])
  }

  @Test func `one key is another one in another company`() async throws {
    let shop = try await Workshop.open()
    let other = try await Workshop.open()
    let first = try await shop.records.create(
      shop.acting("user"),
      type: Self.type,
      fields: shop.fields(),
      key: "key"
    )
    let second = try await other.records.create(
      other.acting("user"),
      type: Self.type,
      fields: other.fields(),
      key: "key"
    )
    #expect(first.id != second.id)
  }

  @Test func `a command that was refused leaves its key free`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let complete = TransitionRequest("complete")
    let error = try await refused {
      _ = try await shop.records.transition(
        shop.acting("user"),
        type: Self.type,
        id: entry,
        request: complete,
        key: "key"
      )
    }
    #expect(error.code == .wrongState)
    try await shop.take("start", entry)
    let done = try await shop.records.transition(
      shop.acting("user"),
      type: Self.type,
      id: entry,
      request: complete,
      key: "key"
    )
    #expect(done.status == "completed")
  }

  @Test func `ten at once under one key make one record and all hear of it`() async throws {
    let shop = try await Workshop.open()
    let fields = shop.fields()
    let ids = try await withThrowingTaskGroup { group in
      for _ in 0..<10 {
        group.addTask {
          try await shop.records.create(shop.acting("user"), type: Self.type, fields: fields, key: "key").id
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ids.count == 10)
    #expect(Set(ids).count == 1)
    #expect(try await shop.count("history", of: ids[0]) == 1)
  }
}
