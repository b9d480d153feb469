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
    func seed(_ type: String, _ index: Int, _ cells: [String?]) -> Seed {
      Seed(id: id(type, index), createdAt: start, maker: owner.id, cells: cells)
    }
    let profiles = try context.ledger.write(
      "macros.profile",
      ["display_name", "timezone"],
      [seed("macros.profile", 0, [owner.name, context.tenant.timeZone])]
    )
    let goals = try context.ledger.write(
      "macros.goal",
      ["protein_g", "carbs_g", "fat_g", "effective_from"],
      [seed("macros.goal", 0, ["120", "220", "70", context.day(count / 3 + 30).description])]
    )
    let presets = try context.ledger.write(
      "macros.preset",
      ["name", "protein_g", "carbs_g", "fat_g", "position"],
      MacrosWords.meals.prefix(3).enumerated().map { index, meal in
        let grams = [20 + 10 * index, 60 - 15 * index, 8 + 4 * index, index]
        return seed("macros.preset", index, [meal] + grams.map(String.init))
      }
    )
    return profiles + goals + presets
  }

  /// Writes the given number of meals, from today backwards. About one day in eight is empty; the others have
  /// 3.5 meals on average.
  private func diary() throws -> Int {
    var random = DemoRandom(context.series, "diary", context.tenant.index * 1_000 + place)
    var meals: [Seed] = []
    var ago = 0
    while meals.count < count {
      defer { ago += 1 }
      if ago > 0, random.chance(0.12) { continue }
      for meal in 0..<min(count - meals.count, random.pick([2, 3, 3, 4, 4, 5])) {
        let id = id("macros.entry", meals.count)
        meals.append(DemoMeal(context, id, owner, context.day(ago), meal, &random).seed)
      }
    }
    return try context.ledger.write("macros.entry", DemoMeal.columns, meals)
  }
}
