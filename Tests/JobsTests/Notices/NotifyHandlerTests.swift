import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct NotifyHandlerTests {
  @Test func `a transition's notice reaches its creator once though its job runs twice`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      try await shop.take("start", as: fixture.operatorContext)
      try await run(shop) { try await shop.notices() == ["Ana": 1] }
      try await fixture.runAgain()
      try await run(shop) { try await self.finished(fixture) == 1 }
      #expect(try await shop.notices() == ["Ana": 1])
      #expect(try await templates(fixture) == ["maintenance.entry_started"])
    }
  }

  @Test func `nobody is told of what they did themselves`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      try await shop.take("start")
      try await run(shop) { try await self.finished(fixture) == 1 }
      #expect(try await shop.notices().isEmpty)
    }
  }

  @Test func `a notice to the admins reaches the owner too`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      try await notify("role:admin", about: shop.entry, fixture)
      try await run(shop) { try await shop.notices() == ["Eva": 1, "Olle": 1] }
      try await fixture.runAgain()
      try await run(shop) { try await self.finished(fixture) == 1 }
      #expect(try await shop.notices() == ["Eva": 1, "Olle": 1])
    }
  }

  @Test func `a notice to the person in a column reaches them, unless they have left`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      try await shop.take("start")
      try await notify("field:started_by", about: shop.entry, fixture)
      try await run(shop) { try await self.finished(fixture) == 2 }
      // Not of the start, which was her own.
      #expect(try await shop.notices() == ["Ana": 1])
      try await fixture.superuser.execute(
        "update core.membership set status = 'removed' where user_id = \(shop.ana.user ?? UUID())"
      )
      try await notify("field:started_by", about: shop.entry, fixture)
      try await run(shop) { try await self.finished(fixture) == 3 }
      #expect(try await shop.notices() == ["Ana": 1])
    }
  }

  @Test func `a deleted record leads to no notice`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      try await notify("role:admin", about: UUID(), fixture)
      try await run(shop) { try await self.finished(fixture) == 1 }
      #expect(try await shop.notices().isEmpty)
    }
  }

  @Test func `an unknown recipient is a permanent failure`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let id = try await notify("the boss", about: shop.entry, fixture)
      try await run(shop) { try await fixture.job(id)?.state == .dead }
      #expect(try await fixture.attempts(id).map(\.error) == ["the boss is nobody to notify"])
    }
  }

  private func run(_ shop: Shop, _ holds: @Sendable () async throws -> Bool) async throws {
    var handlers = HandlerTable()
    handlers.add(NotifyHandler(shop.records.catalogue))
    try await shop.fixture.working(shop.fixture.worker(handlers)) {
      try await until { try await holds() }
    }
  }

  @discardableResult
  private func notify(_ recipient: String, about record: UUID, _ fixture: JobFixture) async throws -> UUID {
    let payload: JSONObject = [
      "to": .string(recipient), "template": "maintenance.entry_overdue", "record_type": "maintenance.entry",
      "record_id": .string(record.text), "history_seq": 1,
    ]
    return try await fixture.enqueue("notify.send", payload: JSON(payload))
  }

  private func finished(_ fixture: JobFixture) async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.job where state = 'succeeded'",
      as: Int.self
    )
  }

  private func templates(_ fixture: JobFixture) async throws -> [String] {
    try await fixture.superuser.rows("select template from core.notification", String.self)
  }
}
