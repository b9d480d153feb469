internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A generated meal.
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
    // The hours around noon in UTC are on the same day in all time zones except near the date line. There a
    // difference of one day is valid.
    let eaten = context.moment(day, minute: 11 * 60 + meal * 40)
    let isLate = random.chance(0.20)
    let written = isLate ? eaten.microseconds + Int64(random.int(1...5)) * 86_400_000_000 : eaten.microseconds
    var seed = Seed(
      id: id,
      createdAt: Instant(
        microseconds: min(written, context.moment(context.today, minute: 23 * 60).microseconds)
      ),
      maker: owner.id,
      cells: [
        Self.grams(&random, 30, 12), Self.grams(&random, 45, 25), Self.grams(&random, 15, 9),
        eaten.description,
        day.description, random.chance(0.4) ? random.pick(MacrosWords.meals) : nil,
      ]
    )
    let later = Instant(microseconds: seed.createdAt.microseconds + 600_000_000)
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
