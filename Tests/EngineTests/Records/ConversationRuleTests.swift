import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// The rules for mentions and watchers.
@Suite(.timeLimit(.minutes(60))) struct ConversationRuleTests {
  private static let type = "maintenance.entry"

  @Test func `only active members are mentioned`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let talk = Conversation(shop.engine.services, shop.records)
    let first = try await talk.say(shop.acting("user"), type: Self.type, id: entry, "@viewer and @admin")
    #expect(first.mentioned.sorted() == ["admin", "viewer"] && first.unknown.isEmpty)
    let viewer = "viewer@\(shop.company.slug).example"
    _ = try await Members(shop.engine.operators).setStatus(
      shop.operatorContext,
      member: viewer,
      status: .suspended
    )
    let second = try await talk.say(shop.acting("user"), type: Self.type, id: entry, "@viewer and @admin")
    #expect(second.mentioned == ["admin"] && second.unknown == ["viewer"])
  }

  @Test func `a member who watches no more is not made to watch by commenting again`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry("admin")
    let talk = Conversation(shop.engine.services, shop.records)
    let user = shop.acting("user")
    _ = try await talk.say(user, type: Self.type, id: entry, "first")
    #expect(try await talk.watchers(user, type: Self.type, id: entry) == ["Member admin", "Member user"])
    try await talk.watch(user, type: Self.type, id: entry, false)
    _ = try await talk.say(user, type: Self.type, id: entry, "second")
    #expect(try await talk.watchers(user, type: Self.type, id: entry) == ["Member admin"])
  }

  @Test func `a preference names a kind of notice that there is`() async throws {
    let shop = try await Workshop.open()
    let preferences = NoticePreferences(shop.engine.services)
    let user = shop.acting("user")
    let error = try await refused {
      try await preferences.set(user, [("comet", .off)], among: ["comment", "mention"])
    }
    #expect(error.code == .notFound && error.hint.contains("comment"))
    #expect(try await preferences.list(user).isEmpty)
    try await preferences.set(user, [("comment", .off), ("*", .inbox)], among: ["comment", "mention"])
    #expect(try await preferences.list(user) == ["comment": .off, "*": .inbox])
  }

  @Test func `the last record that a quota allows is the last`() async throws {
    let shop = try await Workshop.open()
    let gate = "select count(*) from maintenance.category t where t.company_id = \(shop.company.id)" as SQL
    let before = try await shop.engine.superuser.value(gate, as: Int.self)
    try await shop.engine.superuser.execute(
      """
      insert into core.quota (company_id, record_type, max_records)
      values (\(shop.company.id), 'maintenance.category', \(before + 3))
      """
    )
    for number in 2...4 {
      _ = try await shop.records.create(
        shop.operatorContext,
        type: "maintenance.category",
        fields: ["name": .string("Category \(number)")]
      )
    }
    let error = try await refused {
      _ = try await shop.records.create(
        shop.operatorContext,
        type: "maintenance.category",
        fields: ["name": "One too many"]
      )
    }
    #expect(error.code == .quotaExceeded)
    #expect(try await shop.engine.superuser.value(gate, as: Int.self) == before + 3)
  }
}
