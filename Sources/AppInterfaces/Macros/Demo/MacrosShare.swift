internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The meals of one company's members.
struct MacrosShare: DemoShare {
  let meals: Int

  func memberRows(_ members: Int) -> Int { meals + MacrosMemberShare.settings * members }

  func members(_ appetites: [Double]) -> [any DemoMemberShare] {
    DemoShares.deal(meals, appetites).map { MacrosMemberShare(meals: $0) }
  }
}

/// One member's share of the macros: a profile, a goal, three presets and a diary of meals.
struct MacrosMemberShare: DemoMemberShare {
  /// Number of records besides the diary.
  static let settings = 5

  let meals: Int

  var rows: Int { meals + Self.settings }

  func load(_ context: DemoContext, of member: DemoTenant.Member, place: Int) throws -> Int {
    guard meals > 0 else { return 0 }
    return try MacrosLoad(context: context, owner: member, place: place, count: meals).run()
  }
}

/// Writes a member's share of the macros.
private struct MacrosLoad {
  let context: DemoContext
  let owner: DemoTenant.Member
  /// Index of the member in the company; the ids depend on it.
  let place: Int
  /// The number of meals.
  let count: Int

  /// - Returns: the number of new records.
  func run() throws -> Int { try settings() + diary() }

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
    for (index, meal) in MacrosWords.meals.prefix(3).enumerated() {
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

  /// Writes the given number of meals, from today backwards. About one day in eight is empty; the others have
  /// 3.5 meals on average.
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
