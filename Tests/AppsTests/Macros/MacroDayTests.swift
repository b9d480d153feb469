import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Days, ranges, weeks and months, against goals.
@Suite(.timeLimit(.minutes(60))) struct MacroDayTests {
  private func goal(_ protein: String, _ carbs: String, _ fat: String) throws -> MacroAmounts {
    try MacroAmounts(["protein_g": .string(protein), "carbs_g": .string(carbs), "fat_g": .string(fat)])
  }

  private func eat(_ kitchen: Kitchen, _ day: String, _ fields: JSONObject) async throws {
    var complete = fields
    complete["eaten_at"] = .string("\(day)T12:00:00Z")
    complete["local_date"] = .string(day)
    try await kitchen.log(complete)
  }

  @Test func `a day has exact totals, its goal and the one in percent of the other`() async throws {
    let kitchen = try await Kitchen.open()
    _ = try await kitchen.macros.setGoal(
      kitchen.eater,
      goal("120", "0", "60"),
      dayType: .default,
      from: LocalDate(parsing: "2026-03-01")
    )
    try await eat(kitchen, "2026-03-02", ["protein_g": "30.1", "carbs_g": "45.2"])
    try await eat(kitchen, "2026-03-02", ["protein_g": "30.2", "fat_g": "15.3"])
    let day = try await kitchen.macros.day(kitchen.eater, LocalDate(parsing: "2026-03-02"))
    #expect(day.entries == 2 && day.dayType == "default")
    #expect(day.protein.amount.description == "60.3" && day.protein.percent?.description == "50.3")
    #expect(day.carbs.amount.description == "45.2" && day.carbs.goal?.description == "0.0")
    #expect(day.carbs.percent == nil, "no percentage of nothing")
    #expect(day.fat.percent?.description == "25.5")
    #expect(day.kcal.amount.description == "559.7", "4 × 60.3 + 4 × 45.2 + 9 × 15.3")
    #expect(day.kcal.goal?.description == "1020.0")
    let view = try await kitchen.shop.engine.services.database.transaction(
      .inside(kitchen.shop.company.id, user: kitchen.eater.user)
    ) { tx in
      try tx.rows(
        "select to_jsonb(v) from macros.v_day v where v.company_id = \(kitchen.shop.company.id)",
        JSON.self
      ).first?.value().object
    }
    #expect(view?.text("protein_percent") == "50.3" && view?["carbs_percent"] == .null)
    #expect(view?.text("kcal") == "559.7")
  }

  @Test func `without a goal there are totals, and an empty day has its goal all the same`() async throws {
    let kitchen = try await Kitchen.open()
    try await eat(kitchen, "2026-03-02", ["protein_g": "30"])
    let without = try await kitchen.macros.day(kitchen.eater, LocalDate(parsing: "2026-03-02"))
    #expect(without.protein.goal == nil && without.protein.percent == nil && without.dayType == nil)
    let from = try LocalDate(parsing: "2026-03-03")
    _ = try await kitchen.macros.setGoal(
      kitchen.eater,
      goal("120", "200", "60"),
      dayType: .default,
      from: from
    )
    let before = try await kitchen.macros.day(kitchen.eater, LocalDate(parsing: "2026-03-02"))
    #expect(before.protein.goal == nil, "a goal holds from its day on")
    let empty = try await kitchen.macros.day(kitchen.eater, from)
    #expect(empty.entries == 0 && empty.protein.goal?.description == "120.0")
    #expect(empty.protein.percent?.description == "0.0")
  }

  @Test func `the goal of a Monday differs from that of a Tuesday`() async throws {
    let kitchen = try await Kitchen.open(pro: true)
    let from = try LocalDate(parsing: "2026-03-01")
    _ = try await kitchen.macros.setGoal(
      kitchen.eater,
      goal("120", "200", "60"),
      dayType: .default,
      from: from
    )
    _ = try await kitchen.macros.setGoal(
      kitchen.eater,
      goal("120", "300", "40"),
      dayType: .highCarb,
      from: from
    )
    _ = try await kitchen.macros.setCycle(kitchen.eater, .monday, .highCarb)
    _ = try await kitchen.macros.setCycle(kitchen.eater, .wednesday, .rest)
    let days = try await kitchen.macros.range(
      kitchen.eater,
      from: LocalDate(parsing: "2026-03-02"),
      to: LocalDate(parsing: "2026-03-04")
    )
    #expect(
      days.map { $0.carbs.goal?.description } == ["300.0", "200.0", "200.0"],
      "rest has no goal: the default"
    )
    #expect(days.map(\.dayType) == ["high_carb", "default", "default"])
    _ = try await kitchen.macros.setCycle(kitchen.eater, .monday, .default)
    let after = try await kitchen.macros.day(kitchen.eater, LocalDate(parsing: "2026-03-02"))
    #expect(after.carbs.goal?.description == "200.0", "setting a weekday again changes it")
  }

  @Test func `the goal for a kind of day goes before a newer default, on a Sunday too`() async throws {
    let kitchen = try await Kitchen.open(pro: true)
    for (day, carbs, type) in [
      ("2026-03-01", "300", DayType.highCarb), ("2026-03-05", "200", .default),
    ] {
      _ = try await kitchen.macros.setGoal(
        kitchen.eater,
        goal("120", carbs, "60"),
        dayType: type,
        from: LocalDate(parsing: day)
      )
    }
    for weekday in [Weekday.saturday, .sunday] {
      _ = try await kitchen.macros.setCycle(kitchen.eater, weekday, .highCarb)
    }
    let days = try await kitchen.macros.range(
      kitchen.eater,
      from: LocalDate(parsing: "2026-03-06"),
      to: LocalDate(parsing: "2026-03-09")
    )
    #expect(days.map(\.dayType) == ["default", "high_carb", "high_carb", "default"])
    #expect(days.map { $0.carbs.goal?.description } == ["200.0", "300.0", "300.0", "200.0"])
  }

  @Test func `the newest goal holds, and setting one for the same day changes it`() async throws {
    let kitchen = try await Kitchen.open()
    for (day, protein) in [("2026-03-01", "100"), ("2026-03-10", "130"), ("2026-03-10", "140")] {
      _ = try await kitchen.macros.setGoal(
        kitchen.eater,
        goal(protein, "200", "60"),
        dayType: .default,
        from: LocalDate(parsing: day)
      )
    }
    let days = try await kitchen.macros.range(
      kitchen.eater,
      from: LocalDate(parsing: "2026-03-09"),
      to: LocalDate(parsing: "2026-03-11")
    )
    #expect(days.map { $0.protein.goal?.description } == ["100.0", "140.0", "140.0"])
    #expect(
      try await kitchen.seen(
        "macros.goal",
        by: kitchen.eater.user,
        through: kitchen.shop.engine.services.database
      ) == 2
    )
  }

  @Test func `averages leave out days without entries, and say over how many days they are`() async throws {
    let kitchen = try await Kitchen.open()
    try await eat(kitchen, "2026-03-02", ["protein_g": "100"])
    try await eat(kitchen, "2026-03-02", ["protein_g": "20"])
    try await eat(kitchen, "2026-03-05", ["protein_g": "60", "carbs_g": "0.1"])
    try await eat(kitchen, "2026-03-31", ["fat_g": "10"])
    let (from, to) = (try LocalDate(parsing: "2026-03-02"), try LocalDate(parsing: "2026-03-08"))
    let week = try await kitchen.macros.summary(kitchen.eater, from: from, to: to)
    #expect(week.days == 7 && week.daysLogged == 2 && week.entries == 3)
    #expect(week.protein.description == "180.0" && week.averageProtein?.description == "90.0")
    #expect(week.averageCarbs?.description == "0.1", "0.05 rounded")
    let empty = try await kitchen.macros.summary(
      kitchen.eater,
      from: LocalDate(parsing: "2026-02-01"),
      to: LocalDate(parsing: "2026-02-07")
    )
    #expect(empty.daysLogged == 0 && empty.averageProtein == nil && empty.protein.description == "0")
    let last = try LocalDate(parsing: "2026-04-01")
    let weeks = try await kitchen.macros.periods(kitchen.eater, .week, from: from, to: last)
    #expect(weeks.map { $0.from.description } == ["2026-03-02", "2026-03-30"])
    #expect(weeks.map(\.daysLogged) == [2, 1] && weeks.map(\.days) == [7, 7])
    #expect(weeks[0].averageProtein?.description == "90.0" && weeks[0].protein.description == "180.0")
    let months = try await kitchen.macros.periods(kitchen.eater, .month, from: from, to: last)
    #expect(months.map { $0.from.description } == ["2026-03-01"])
    #expect(months.map(\.days) == [31] && months.map(\.daysLogged) == [3])
    #expect(months[0].averageProtein?.description == "60.0")
  }

  @Test func `a range that is turned round or endless is refused`() async throws {
    let kitchen = try await Kitchen.open()
    for (from, to) in [("2026-03-02", "2026-03-01"), ("1990-01-01", "2026-03-01")] {
      let error = try await refused {
        _ = try await kitchen.macros.range(
          kitchen.eater,
          from: LocalDate(parsing: from),
          to: LocalDate(parsing: to)
        )
      }
      #expect(error.category == .invalid)
    }
  }

  @Test func `a preset is logged with its amounts, unless others are given`() async throws {
    let kitchen = try await Kitchen.open(pro: true)
    let preset = try await kitchen.shop.records.create(
      kitchen.eater,
      type: "macros.preset",
      fields: ["name": "Porridge", "protein_g": "12.34", "carbs_g": "60", "fat_g": "8"]
    ).id
    let id = try await kitchen.macros.log(kitchen.eater, ["carbs_g": "70"], preset: "porridge").id
    let entry = try await kitchen.shop.records.show(kitchen.eater, type: "macros.entry", id: id)
    #expect(
      entry.text("protein_g") == "12.3" && entry.text("carbs_g") == "70.0" && entry.text("fat_g") == "8.0"
    )
    #expect(entry.text("preset_id") == preset.text && entry.text("note") == "Porridge")
  }
}
