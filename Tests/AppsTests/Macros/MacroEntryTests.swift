import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Valid entries, their stored form, and the day they count for.
@Suite(.timeLimit(.minutes(60))) struct MacroEntryTests {
  @Test func `amounts are kept to a tenth, rounded half up, in the row and in its history`() async throws {
    let kitchen = try await Kitchen.open()
    let entry = try await kitchen.log(["protein_g": "12.34", "carbs_g": "0.05", "fat_g": "7"])
    #expect(
      entry.text("protein_g") == "12.3" && entry.text("carbs_g") == "0.1" && entry.text("fat_g") == "7.0"
    )
    #expect(entry.text("kcal") == "112.6")
    let id = try #require(entry.text("id").flatMap(UUID.init(uuidString:)))
    _ = try await kitchen.shop.records.update(
      kitchen.eater,
      type: "macros.entry",
      id: id,
      fields: ["protein_g": "20.25"]
    )
    let history = try await kitchen.shop.records.history(kitchen.eater, type: "macros.entry", id: id)
    let change = try history.last?.changes.value().object?["protein_g"]
    #expect(
      change
        == .array([.number(try ExactDecimal(parsing: "12.3")), .number(try ExactDecimal(parsing: "20.3"))])
    )
  }

  @Test(
    arguments: [
      (["protein_g": "-1"], .invalidNumber), (["protein_g": "abc"], .invalidNumber),
      (["fat_g": "2001"], .invalidNumber),
      ([:], .invalidInput), (["protein_g": "0.04"], .invalidInput),
      (["protein_g": "0", "fat_g": "0"], .invalidInput),
      (["protein_g": "1", "kcal": "4"], .fieldNotEditable),
      (["protein_g": "1", "sugar_g": "4"], .unknownFields),
      (["protein_g": "1", "eaten_at": "yesterday"], .invalidInstant),
      (["protein_g": "1", "eaten_at": "2026-03-10T12:00:00Z", "local_date": "2026-03-12"], .invalidDate),
      (["protein_g": "1", "eaten_at": "2026-03-10T12:00:00Z", "local_date": "2026-03-08"], .invalidDate),
    ] as [(JSONObject, ErrorCode)]
  )
  func `an invalid entry is refused`(_ fields: JSONObject, _ code: ErrorCode) async throws {
    let kitchen = try await Kitchen.open()
    let error = try await refused { try await kitchen.log(fields) }
    #expect(error.code == code, "\(error)")
    #expect(
      try await kitchen.seen(
        "macros.entry",
        by: kitchen.eater.user,
        through: kitchen.shop.engine.services.database
      ) == 0
    )
  }

  @Test func `an edit may not empty an entry or move it away from its moment`() async throws {
    let kitchen = try await Kitchen.open()
    let entry = try await kitchen.log([
      "protein_g": "1", "eaten_at": "2026-03-10T12:00:00Z", "local_date": "2026-03-10",
    ])
    let id = try #require(entry.text("id").flatMap(UUID.init(uuidString:)))
    for (fields, code) in [
      (["protein_g": "0"], .invalidInput), (["local_date": "2026-03-12"], .invalidDate),
      (["eaten_at": "2026-03-14T12:00:00Z"], .invalidDate),
    ] as [(JSONObject, ErrorCode)] {
      let error = try await refused {
        _ = try await kitchen.shop.records.update(kitchen.eater, type: "macros.entry", id: id, fields: fields)
      }
      #expect(error.code == code, "\(fields)")
    }
    _ = try await kitchen.shop.records.update(
      kitchen.eater,
      type: "macros.entry",
      id: id,
      fields: ["eaten_at": "2026-03-11T23:30:00+09:00"]
    )
    let after = try await kitchen.shop.records.show(kitchen.eater, type: "macros.entry", id: id)
    #expect(after.text("local_date") == "2026-03-10", "the day is never computed again")
  }

  @Test func `the day is that of the place in the profile, from when the day begins there`() async throws {
    let kitchen = try await Kitchen.open(timeZone: "America/New_York")
    let first = try await kitchen.log(["fat_g": "1", "eaten_at": "2026-03-10T02:00:00Z"])
    #expect(first.text("local_date") == "2026-03-09", "the profile starts with the company's zone")
    _ = try await kitchen.macros.setProfile(
      kitchen.eater,
      ["timezone": "Asia/Kathmandu", "day_starts_at": "04:00"]
    )
    let night = try await kitchen.log(["fat_g": "1", "eaten_at": "2026-03-10T21:00:00Z"])
    #expect(night.text("local_date") == "2026-03-10", "02:45 in Kathmandu is still the day before")
    let morning = try await kitchen.log(["fat_g": "1", "eaten_at": "2026-03-10T22:30:00Z"])
    #expect(morning.text("local_date") == "2026-03-11")
    let error = try await refused {
      _ = try await kitchen.macros.setProfile(kitchen.eater, ["timezone": "Mars/Olympus"])
    }
    #expect(error.code == .invalidTimeZone)
  }

  @Test func `an entry that comes thirty days late counts for its own day`() async throws {
    let kitchen = try await Kitchen.open()
    let day = try await kitchen.macros.today(kitchen.eater).adding(days: -30)
    try await kitchen.log([
      "carbs_g": "40", "eaten_at": .string("\(day)T12:00:00Z"), "local_date": .string("\(day)"),
    ])
    let then = try await kitchen.macros.day(kitchen.eater, day)
    #expect(then.entries == 1 && then.carbs.amount.description == "40.0")
    let now = try await kitchen.macros.day(kitchen.eater, try await kitchen.macros.today(kitchen.eater))
    #expect(now.entries == 0)
  }

  @Test func `a person has one profile, however many ask for it first`() async throws {
    let kitchen = try await Kitchen.open(timeZone: "Europe/Stockholm")
    let ids = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<6 { group.addTask { try await kitchen.macros.profile(kitchen.eater).text("id") } }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    try await kitchen.log(["fat_g": "1"], as: "user2")
    #expect(
      try await kitchen.macros.profile(kitchen.shop.acting("user2")).text("timezone") == "Europe/Stockholm"
    )
    let rows = try await kitchen.shop.engine.superuser.value(
      "select count(*) from macros.profile p where p.company_id = \(kitchen.shop.company.id)",
      as: Int.self
    )
    #expect(rows == 2)
  }
}
