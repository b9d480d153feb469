internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The items of one household and their warranty claims.
struct InventoryShare: DemoShare {
  var items = 0
  var claims = 0

  var companyRows: Int { items + claims }

  func load(_ context: DemoContext) throws -> DemoCount {
    DemoCount(records: try InventoryLoad(share: self, context: context).run())
  }
}

/// Writes a share of the inventory into its company.
private struct InventoryLoad {
  let share: InventoryShare
  let context: DemoContext

  /// - Returns: the number of new records.
  func run() throws -> Int { try items() + claims() }

  private func items() throws -> Int {
    var random = context.random("items")
    let items = (0..<share.items).map { index in
      // For 3 % of the items the warranty ends in 1 to 29 days. The first item is always one of these, so
      // that even a small load has one.
      let daysLeft = index == 0 || random.chance(0.03) ? random.int(1...29) : nil
      return DemoItem(context, index, daysLeft: daysLeft, &random).seed
    }
    return try context.ledger.write("inventory.item", DemoItem.columns, items)
  }

  private func claims() throws -> Int {
    guard share.items > 0 else { return 0 }
    var random = context.random("claims")
    let claims = (0..<share.claims).map { index in
      let status = random.pick(
        [
          ("draft", 0.20), ("submitted", 0.30), ("approved", 0.25), ("rejected", 0.15), ("closed", 0.10),
        ] as [(String, Double)]
      )
      let day = context.day(random.int(1...200))
      let decided = ["approved", "rejected", "closed"].contains(status)
      return Seed(
        id: context.id("inventory.claim", index),
        createdAt: context.moment(day),
        maker: random.pick(context.tenant.active).id,
        status: status,
        cells: [
          context.id("inventory.item", random.int(0...(share.items - 1))).text,
          DemoWords.fault(&random), random.pick(["repair", "replace", "refund"]),
          status == "draft" ? nil : context.moment(day, minute: 9 * 60).description,
          decided ? context.moment(min(context.today, day.adding(days: 6))).description : nil,
          decided ? "Case \(index + 1)" : nil,
        ]
      )
    }
    return try context.ledger.write(
      "inventory.claim",
      ["item_id", "issue", "requested_remedy", "submitted_at", "decided_at", "decision_note"],
      claims
    )
  }
}
