internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials

/// Demo data of the inventory app.
struct InventoryDemo: AppDemo {
  let app = "inventory"

  func shares(_ request: DemoLoad.Request, among companies: DemoSizes) -> [any DemoShare] {
    let total: (items: Int, claims: Int) =
      switch request.scale {
      case .S: (40, 4)
      case .M: (4_000, 120)
      case .L: (200_000, 6_000)
      }
    let items = companies.deal(total.items)
    let claims = DemoShares.deal(total.claims, along: items)
    return zip(items, claims).map { InventoryShare(items: $0, claims: $1) }
  }

  func rows(_ stage: DemoStage) -> [DemoRows] { [DemoRows("inventory.item", items(stage))] }

  /// Returns twelve items. The first item's warranty ends in twelve days; the second's has ended.
  private func items(_ stage: DemoStage) -> [DemoRow] {
    let things = [
      ("Espresso machine", "Kitchen", 24, 12), ("Laptop", "Electronics", 24, -40),
      ("Washing machine", "Appliances", 60, 900),
      ("Drill", "Tools", 24, 300), ("Sofa", "Furniture", 0, 0), ("Lawn mower", "Garden", 36, 500),
      ("Camera", "Electronics", 24, 200), ("Bicycle", "Sport", 12, 90),
      ("Television", "Electronics", 36, 700),
      ("Tent", "Sport", 0, 0), ("Vacuum cleaner", "Appliances", 24, 410), ("Toaster", "Kitchen", 12, -200),
    ]
    return things.enumerated().map { index, thing in
      let (name, category, months, daysLeft) = thing
      let last = months > 0 ? stage.today.adding(days: daysLeft) : stage.today.adding(days: -500)
      let bought = (try? last.adding(months: -months)) ?? last
      return DemoRow(
        id: stage.id("inventory.item", index),
        fields: [
          ("name", name), ("category", category), ("purchase_date", bought.description),
          ("warranty_months", "\(months)"), ("purchase_price", "\(49 + index * 120).00"), ("currency", "EUR"),
          ("tags", index % 3 == 0 ? "{gift}" : "{}"), ("location", InventoryWords.locations[index % 6]),
          ("is_favorite", index < 2 ? "true" : "false"),
        ],
        moving: ["purchase_date"]
      )
    }
  }
}
