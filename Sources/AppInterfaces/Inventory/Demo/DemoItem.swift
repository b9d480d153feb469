internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A generated household item.
struct DemoItem {
  static let columns = [
    "name", "category", "purchase_date", "warranty_months", "purchase_price", "currency", "tags", "location",
    "is_favorite", "serial_no",
  ]

  let seed: Seed

  /// - Parameter daysLeft: days until the warranty ends, so that the item has a warranty. If nil, the item
  ///   was bought on a random day of the last 2,000, and it may have no warranty.
  init(_ context: DemoContext, _ index: Int, daysLeft: Int?, _ random: inout DemoRandom) {
    let chosen = random.pick([(0, 0.15), (12, 0.40), (24, 0.25), (36, 0.10), (60, 0.10)] as [(Int, Double)])
    let months = daysLeft == nil ? chosen : max(12, chosen)
    var bought = context.day(random.int(0...2_000))
    // The purchase date follows from the end of the warranty.
    if let daysLeft, let day = try? context.today.adding(days: daysLeft).adding(months: -months) {
      bought = day
    }
    let price =
      random.chance(0.20)
      ? nil : "\(Int(random.logNormal(median: 120, spread: 1))).\(random.pick(["00", "50", "95"]))"
    var tags: [String] = []
    for _ in 0..<random.int(0...5) {
      let tag = random.pick(InventoryWords.tags)
      if !tags.contains(tag) { tags.append(tag) }
    }
    seed = Seed(
      id: context.id("inventory.item", index),
      createdAt: context.moment(min(context.today, bought.adding(days: 1))),
      maker: random.pick(context.tenant.active).id,
      cells: [
        "\(random.pick(InventoryWords.things)) \(index + 1)", random.pick(InventoryWords.itemCategories),
        bought.description,
        "\(months)", price, context.tenant.timeZone.hasPrefix("Europe/") ? "EUR" : "USD",
        "{\(tags.joined(separator: ","))}", random.chance(0.8) ? random.pick(InventoryWords.locations) : nil,
        random.chance(0.1) ? "true" : "false", "SN-\(context.tenant.index + 1)-\(index + 1)",
      ]
    )
  }
}
