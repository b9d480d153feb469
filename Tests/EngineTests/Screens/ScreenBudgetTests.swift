import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// What pages cost in the database, whatever the number of records.
@Suite struct ScreenBudgetTests {
  @Test func `a page takes few round trips, and as many with many records as with few`() async throws {
    let shop = try await Workshop.open()
    for _ in 0..<3 { _ = try await shop.entry() }
    let trips = RoundTrips(shop.engine.database, as: "fettle_app")
    let screens = Screens(try await Records.open(trips.services))
    let acting = shop.acting("admin")
    let entry = try await shop.entry("admin", ["assigned_to": .id(try #require(acting.user))])
    for _ in 0..<3 { try await shop.take("start", entry); try await shop.take("pause", entry) }
    func cost(_ body: () async throws -> Void) async throws -> Int {
      // The first time, choices and workflows are read.
      try await body()
      return try await trips.during(body)
    }
    func costs() async throws -> [Int] {
      [
        try await cost { _ = try await screens.frame(acting) },
        try await cost { _ = try await screens.list(acting, type: "maintenance.entry", RecordQuery()) },
        try await cost { _ = try await screens.record(acting, type: "maintenance.entry", entry.text) },
        try await cost { _ = try await screens.form(acting, type: "maintenance.entry") },
      ]
    }
    let few = try await costs()
    #expect(zip(few, [2, 5, 6, 3]).allSatisfy { $0 <= $1 }, "\(few): \(trips.last)")
    for _ in 0..<60 { _ = try await shop.entry() }
    let many = try await costs()
    #expect(many == few)
  }

  @Test func `a list counts to its limit, and finds what a filter says`() async throws {
    let shop = try await Workshop.open()
    for number in 0..<7 { _ = try await shop.entry("user", ["estimated_hours": .integer(number)]) }
    let screens = Screens(shop.records)
    var query = RecordQuery()
    query.limit = 3
    query.conditions = [RecordCondition("estimated_hours", .atLeast, "2")]
    let screen = try await screens.list(shop.acting("viewer"), type: "maintenance.entry", query)
    #expect(screen.records.count == 3)
    #expect(screen.count == 5)
    #expect(screen.next != nil)
    #expect(!screen.mayCreate)
    // A column that only the view has is counted there.
    query.conditions = [RecordCondition("hours_logged", .equal, "0")]
    #expect(try await screens.list(shop.acting("viewer"), type: "maintenance.entry", query).count == 7)
    // A member without the right to read a type has no such page.
    await #expect(throws: DomainError.self) {
      _ = try await screens.list(shop.acting("viewer"), type: "maintenance.nothing", query)
    }
  }
}
