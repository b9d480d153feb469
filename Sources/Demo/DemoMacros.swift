internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// What one member of a company eats: a profile, a goal, three presets and a diary.
struct DemoMacros {
  let context: DemoContext
  let owner: DemoTenant.Member
  /// The member's place in the company, from which their ids follow.
  let place: Int
  /// How many entries.
  let count: Int

  /// - Returns: how many records were not there before.
  func load() throws -> Int { try settings() + diary() }

  private func id(_ type: String, _ index: Int) -> UUID {
    context.ids.id(type, "\(context.tenant.index)/\(place)/\(index)")
  }

  private func settings() throws -> Int {
    let start = context.moment(context.day(count / 3 + 30))
    var profiles = try context.writer("macros.profile", ["display_name", "timezone"])
    try profiles.add(
      Seed(
        id: id("macros.profile", 0),
        createdAt: start,
        maker: owner.id,
        cells: [owner.name, context.tenant.timeZone]
      )
    )
    try profiles.flush()
    var goals = try context.writer("macros.goal", ["protein_g", "carbs_g", "fat_g", "effective_from"])
    try goals.add(
      Seed(
        id: id("macros.goal", 0),
        createdAt: start,
        maker: owner.id,
        cells: ["120", "220", "70", context.day(count / 3 + 30).description]
      )
    )
    try goals.flush()
    var presets = try context.writer("macros.preset", ["name", "protein_g", "carbs_g", "fat_g", "position"])
    for (index, meal) in DemoWords.meals.prefix(3).enumerated() {
      try presets.add(
        Seed(
          id: id("macros.preset", index),
          createdAt: start,
          maker: owner.id,
          cells: [meal, "\(20 + 10 * index)", "\(60 - 15 * index)", "\(8 + 4 * index)", "\(index)"]
        )
      )
    }
    try presets.flush()
    return profiles.inserted + goals.inserted + presets.inserted
  }

  /// 3.4 entries a day, from today backwards; one day in eight is empty.
  private func diary() throws -> Int {
    var random = DemoRandom(context.series, "diary", context.tenant.index * 1_000 + place)
    var writer = try context.writer("macros.entry", DemoMeal.columns)
    var (made, ago) = (0, 0)
    while made < count {
      defer { ago += 1 }
      if ago > 0, random.chance(0.12) { continue }
      let meals = min(count - made, random.pick([2, 3, 3, 4, 4, 5]))
      for meal in 0..<meals {
        try writer.add(
          DemoMeal(context, id("macros.entry", made), owner, context.day(ago), meal, &random).seed
        )
        made += 1
      }
    }
    try writer.flush()
    return writer.inserted
  }
}

/// One made-up meal.
struct DemoMeal {
  static let columns = ["protein_g", "carbs_g", "fat_g", "eaten_at", "local_date", "note"]

  let seed: Seed

  init(
    _ context: DemoContext,
    _ id: UUID,
    _ owner: DemoTenant.Member,
    _ day: LocalDate,
    _ meal: Int,
    _ random: inout DemoRandom
  ) {
    // Noon in UTC is the same day everywhere but at the date line, and a day off is still within bounds.
    let eaten = context.moment(day, minute: 11 * 60 + meal * 40)
    let isLate = random.chance(0.20)
    let written = isLate ? eaten.microseconds + Int64(random.int(1...5)) * 86_400_000_000 : eaten.microseconds
    var seed = Seed(
      id: id,
      createdAt: Timestamp(
        microseconds: min(written, context.moment(context.today, minute: 23 * 60).microseconds)
      ),
      maker: owner.id,
      cells: [
        Self.grams(&random, 30, 12), Self.grams(&random, 45, 25), Self.grams(&random, 15, 9),
        eaten.description,
        day.description, random.chance(0.4) ? random.pick(DemoWords.meals) : nil,
      ]
    )
    let later = Timestamp(microseconds: seed.createdAt.microseconds + 600_000_000)
    if random.chance(0.01) {
      seed.isDeleted = true
      seed.steps = [Seed.Step(draft: HistoryDraft(kind: .delete), at: later)]
    } else if random.chance(0.02) {
      let change: JSONObject = ["note": [nil, .optional(seed.cells[5])]]
      seed.steps = [Seed.Step(draft: HistoryDraft(kind: .edit, changes: change), at: later)]
    }
    self.seed = seed
  }

  private static func grams(_ random: inout DemoRandom, _ mean: Double, _ deviation: Double) -> String {
    let tenths = max(1, Int(random.normal(mean: mean, deviation: deviation) * 10))
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension JSONValue {
  /// Text, or null.
  static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
