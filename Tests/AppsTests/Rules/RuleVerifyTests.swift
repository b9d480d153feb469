import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// `fettle verify` runs the rules of types over stored records.
@Suite(.timeLimit(.minutes(60))) struct RuleVerifyTests {
  /// Changes rows without the engine.
  private func tamper(_ house: House, _ statement: SQL) async throws {
    try await house.shop.engine.superuser.transaction { tx in
      try tx.execute("set local fettle.write = 'engine'")
      try tx.execute(statement)
    }
  }

  private func findings(_ house: House) async throws -> [VerifyFinding] {
    let verification = Verification(house.shop.engine.operators, catalogue: house.shop.engine.catalogue)
    return try await verification.run([house.shop.company]).findings
  }

  @Test func `records of all apps that passed the rules are in order`() async throws {
    let house = try await House.open()
    for row in TypeRow.all(house) where !row.new.isEmpty {
      _ = try await house.create(row.type, row.new)
    }
    #expect(try await findings(house) == [])
  }

  @Test func `a record that would be refused today is named, with its code`() async throws {
    let house = try await House.open()
    let site = house.ids["site"] ?? UUID()
    try await tamper(house, "update solar.site set timezone = 'Mars/Base' where id = \(site)")
    let found = try await findings(house)
    #expect(found.map(\.code) == [.ruleRefuses] && found.first?.record == site)
    #expect(found.first?.type == "solar.site" && found.first?.company == house.shop.company.slug)
    #expect(found.first?.what.contains("invalid_time_zone") == true)
  }

  @Test func `a plan without its due date is named, and the next edit gives it one`() async throws {
    let house = try await House.open()
    let row = try #require(TypeRow.all(house).first { $0.type == "maintenance.pm_plan" })
    let plan = try await house.create(row.type, row.new)
    let id = try #require(plan["id"]?.string.flatMap(UUID.init(uuidString:)))
    try await tamper(house, "update maintenance.pm_plan set next_due_on = null where id = \(id)")
    let found = try await findings(house)
    #expect(found.map(\.code) == [.valueMissing] && found.first?.record == id)
    #expect(found.first?.what.contains("next_due_on") == true)
    let after = try await house.change(row.type, plan, ["title": "Oil and filter"])
    #expect(after["next_due_on"] == plan["next_due_on"])
    #expect(try await findings(house).map(\.code) == [])
  }

  @Test func `a value on which a question fails is named, and the other records are checked`() async throws {
    let house = try await House.open()
    for type in ["macros.profile", "macros.entry"] {
      let row = try #require(TypeRow.all(house).first { $0.type == type })
      _ = try await house.create(type, row.new)
    }
    let reading = house.ids["reading"] ?? UUID()
    try await tamper(
      house,
      "update macros.profile set timezone = 'Mars/Base' where company_id = \(house.shop.company.id)"
    )
    try await tamper(
      house,
      "update maintenance.meter_reading set taken_at = '2099-01-01T00:00:00Z' where id = \(reading)"
    )
    let found = try await findings(house)
    // The day of a meal in an unknown zone is that of UTC, which no rule refuses.
    #expect(Set(found.compactMap(\.type)) == ["macros.profile", "maintenance.meter_reading"])
    #expect(found.allSatisfy { $0.code == .ruleRefuses })
  }

  @Test func `hours of a member who left, and a recording whose account is gone, stay in order`() async throws
  {
    let house = try await House.open()
    let account = try await house.records.create(
      house.acting,
      type: "solar.utility_account",
      fields: ["site_id": house.id("site"), "endpoint": "https://grid.example/in"]
    ).id
    let recording = try #require(TypeRow.all(house).first { $0.type == "solar.recording" })
    var fields = recording.new
    fields["type"] = "auto_push"
    _ = try await house.create("solar.recording", fields)
    _ = try await house.records.delete(house.acting, type: "solar.utility_account", id: account)
    let hours = try #require(TypeRow.all(house).first { $0.type == "maintenance.time_entry" })
    fields = hours.new
    let worker = try #require(house.shop.members["user"])
    fields["user_id"] = .id(worker.userID)
    let stored = try await house.create("maintenance.time_entry", fields)
    _ = try await Members(house.shop.engine.operators).setStatus(
      house.shop.operatorContext,
      member: worker.email,
      status: .removed
    )
    #expect(try await findings(house) == [])
    let after = try await house.change("maintenance.time_entry", stored, ["end_time": "11:00"])
    #expect(after["user_name"] == stored["user_name"])
  }
}
