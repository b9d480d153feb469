import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Work that was started and completed before somebody reported it.
@Suite(.timeLimit(.minutes(60))) struct GivenTimeTests {
  /// A company with one entry that was created ten days ago.
  private static func open() async throws -> (shop: Workshop, entry: UUID) {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    try await age(entry, of: shop)
    return (shop, entry)
  }

  private static func age(_ entry: UUID, of shop: Workshop) async throws {
    let company = shop.company.id
    try await shop.engine.superuser.transaction { tx in
      // A record's creation is fixed; tests of the past step around the trigger that guards it.
      try tx.execute("set local session_replication_role = replica")
      try tx.execute(
        """
        update maintenance.entry set created_at = date_trunc('second', now()) - interval '10 days'
        where company_id = \(company) and id = \(entry)
        """
      )
    }
  }

  private static func daysAgo(_ days: Int64, _ shop: Workshop) async throws -> JSONValue {
    let now = try await shop.engine.superuser.value("select date_trunc('second', now())", as: Instant.self)
    return .string(try #require(now.advanced(byMicroseconds: -days * 86_400_000_000)).rfc3339)
  }

  private static func take(_ name: String, _ entry: UUID, _ shop: Workshop, _ fields: JSONObject = [:])
    async throws -> RecordAnswer
  {
    try await shop.records.transition(
      shop.acting("user"),
      type: "maintenance.entry",
      id: entry,
      request: TransitionRequest(name, fields: fields)
    )
  }

  @Test func `a member gives when work was started and completed, and reports and history count it`()
    async throws
  {
    let (shop, entry) = try await Self.open()
    _ = try await Self.take("start", entry, shop, ["started_at": try await Self.daysAgo(9, shop)])
    let done = try await Self.daysAgo(3, shop)
    _ = try await Self.take("complete", entry, shop, ["completed_at": done])
    let shown = try await shop.records.show(shop.acting("user"), type: "maintenance.entry", id: entry)
    let stored = try Instant(rfc3339: #require(shown["completed_at"]?.string))
    #expect(stored?.rfc3339 == done.string && shown["completed_by"]?.string != nil)
    let last = try await shop.records.history(shop.acting("user"), type: "maintenance.entry", id: entry).last
    #expect(try last?.changes.value().object?["completed_at"] == [.null, done])
    #expect(
      try await shop.report("v1_repair_times", "timed_repairs, mean_hours_to_repair") == ["1|144.00"]
    )
    let month = String(done.displayText.prefix(7))
    #expect(try await shop.report("v1_lead_times", "month, entries") == ["\(month)-01|1"])
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `without a time, or with an empty one, it is now`() async throws {
    let (shop, entry) = try await Self.open()
    _ = try await Self.take("start", entry, shop)
    _ = try await Self.take("complete", entry, shop, ["completed_at": .null])
    let shown = try await shop.records.show(shop.acting("user"), type: "maintenance.entry", id: entry)
    #expect(shown["completed_at"] == shown["updated_at"])
  }

  @Test func `times that cannot be are refused, and so are times that a transition does not set`()
    async throws
  {
    let (shop, entry) = try await Self.open()
    let cases: [(String, JSONObject, ErrorCode)] = [
      ("start", ["started_at": try await Self.daysAgo(11, shop)], .invalidInput),
      ("start", ["started_at": try await Self.daysAgo(-1, shop)], .invalidInput),
      ("start", ["started_at": "yesterday"], .invalidInstant),
      ("start", ["started_at": "infinity"], .invalidInstant),
      ("start", ["started_at": ["2026-01-01T00:00:00Z"]], .invalidInstant),
      ("start", ["started_by": .id(UUID())], .fieldNotEditable),
      ("start", ["completed_at": try await Self.daysAgo(1, shop)], .fieldNotEditable),
    ]
    for (transition, fields, code) in cases {
      let error = try await refused { _ = try await Self.take(transition, entry, shop, fields) }
      #expect(error.code == code, "\(fields) \(error)")
    }
    _ = try await Self.take("start", entry, shop, ["started_at": try await Self.daysAgo(5, shop)])
    for days in [6, 10, 11, -1] as [Int64] {
      let time = try await Self.daysAgo(days, shop)
      let error = try await refused {
        _ = try await Self.take("complete", entry, shop, ["completed_at": time])
      }
      #expect(error.code == .invalidInput && error.message.hasPrefix("completed_at: "), "\(days)")
    }
    _ = try await Self.take("complete", entry, shop, ["completed_at": try await Self.daysAgo(5, shop)])
  }

  @Test func `many entries are completed at one time, except those that started later`() async throws {
    let (shop, early) = try await Self.open()
    let late = try await shop.entry()
    try await Self.age(late, of: shop)
    _ = try await Self.take("start", early, shop, ["started_at": try await Self.daysAgo(9, shop)])
    _ = try await Self.take("start", late, shop, ["started_at": try await Self.daysAgo(2, shop)])
    var query = RecordQuery()
    query.filters = [("status", "in_progress")]
    let outcome = try await shop.records.transitionAll(
      shop.acting("user"),
      type: "maintenance.entry",
      where: query,
      request: TransitionRequest("complete", fields: ["completed_at": try await Self.daysAgo(3, shop)])
    )
    #expect(outcome.done == 1 && outcome.items.first { $0.id == late }?.code == .invalidInput)
  }
}
