internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// What a household owns, and its claims.
struct DemoInventory {
  let context: DemoContext

  /// - Returns: how many records were not there before.
  func load() throws -> Int { try items() + claims() }

  private func items() throws -> Int {
    var random = context.random("items")
    var writer = try context.writer("inventory.item", DemoItem.columns)
    let count = context.tenant.counts.items
    for index in 0..<count {
      // Three in a hundred end within thirty days, the first among them so that even a small load has one.
      let daysLeft = index == 0 || random.chance(0.03) ? random.int(1...29) : nil
      try writer.add(DemoItem(context, index, daysLeft: daysLeft, &random).seed)
    }
    try writer.flush()
    return writer.inserted
  }

  private func claims() throws -> Int {
    guard context.tenant.counts.items > 0 else { return 0 }
    var random = context.random("claims")
    var writer = try context.writer(
      "inventory.claim",
      ["item_id", "issue", "requested_remedy", "submitted_at", "decided_at", "decision_note"]
    )
    for index in 0..<context.tenant.counts.claims {
      let status = random.pick(
        [
          ("draft", 0.20), ("submitted", 0.30), ("approved", 0.25), ("rejected", 0.15), ("closed", 0.10),
        ] as [(String, Double)]
      )
      let day = context.day(random.int(1...200))
      let decided = ["approved", "rejected", "closed"].contains(status)
      try writer.add(
        Seed(
          id: context.id("inventory.claim", index),
          createdAt: context.moment(day),
          maker: random.pick(context.tenant.active).id,
          status: status,
          cells: [
            context.id("inventory.item", random.int(0...(context.tenant.counts.items - 1))).text,
            DemoWords.fault(&random), random.pick(["repair", "replace", "refund"]),
            status == "draft" ? nil : context.moment(day, minute: 9 * 60).description,
            decided ? context.moment(min(context.today, day.adding(days: 6))).description : nil,
            decided ? "Case \(index + 1)" : nil,
          ]
        )
      )
    }
    try writer.flush()
    return writer.inserted
  }
}

/// One made-up thing of a household.
struct DemoItem {
  static let columns = [
    "name", "category", "purchase_date", "warranty_months", "purchase_price", "currency", "tags", "location",
    "is_favorite", "serial_no",
  ]

  let seed: Seed

  /// - Parameter daysLeft: of its warranty; nil leaves it to chance.
  init(_ context: DemoContext, _ index: Int, daysLeft: Int?, _ random: inout DemoRandom) {
    let chosen = random.pick([(0, 0.15), (12, 0.40), (24, 0.25), (36, 0.10), (60, 0.10)] as [(Int, Double)])
    let months = daysLeft == nil ? chosen : max(12, chosen)
    var bought = context.day(random.int(0...2_000))
    // What is to end soon was bought so many months before.
    if let daysLeft, let day = try? context.today.adding(days: daysLeft).adding(months: -months) {
      bought = day
    }
    let price =
      random.chance(0.20)
      ? nil : "\(Int(random.logNormal(median: 120, spread: 1))).\(random.pick(["00", "50", "95"]))"
    var tags: [String] = []
    for _ in 0..<random.int(0...5) {
      let tag = random.pick(DemoWords.tags)
      if !tags.contains(tag) { tags.append(tag) }
    }
    seed = Seed(
      id: context.id("inventory.item", index),
      createdAt: context.moment(min(context.today, bought.adding(days: 1))),
      maker: random.pick(context.tenant.active).id,
      cells: [
        "\(DemoWords.thing(&random)) \(index + 1)", random.pick(DemoWords.itemCategories), bought.description,
        "\(months)", price, context.tenant.timeZone.hasPrefix("Europe/") ? "EUR" : "USD",
        "{\(tags.joined(separator: ","))}", random.chance(0.8) ? random.pick(DemoWords.locations) : nil,
        random.chance(0.1) ? "true" : "false", "SN-\(context.tenant.index + 1)-\(index + 1)",
      ]
    )
  }
}
