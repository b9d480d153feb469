internal import Apps
internal import Demo
internal import Domain
internal import Engine
internal import FoundationEssentials

/// Demo data of the maintenance app.
struct MaintenanceDemo: AppDemo {
  let app = "maintenance"

  func shares(_ request: DemoLoad.Request, among companies: DemoSizes) -> [any DemoShare] {
    let total: (machines: Int, categories: Int, entries: Int, timeEntries: Int) =
      switch request.scale {
      case .S: (9, 24, 60, 90)
      case .M: (480, 520, 12_000, 22_000)
      case .L: (40_000, 26_000, 1_500_000, 3_000_000)
      }
    let base = MaintenanceWords.baseCategories.count * companies.count
    let machines = companies.deal(total.machines, least: 1)
    let categories = companies.deal(max(0, total.categories - base))
    let entries = companies.deal(total.entries, least: 3)
    let times = DemoShares.deal(total.timeEntries, along: entries)
    return machines.indices.map { index in
      MaintenanceShare(
        machines: machines[index],
        customCategories: categories[index],
        entries: entries[index],
        timeEntries: times[index]
      )
    }
  }

  func create(_ stage: DemoStage) async throws {
    try await WorkshopDemo(stage).create()
  }

  /// Moves the report dates of the work orders.
  func refresh(_ stage: DemoStage) async throws -> Int {
    var moved = 0
    for entry in try await stage.records.list(stage.acting, type: "maintenance.entry", RecordQuery()) {
      guard let text = entry["description"]?.string, let ago = WorkshopDemo.daysAgo[text],
        let id = entry["id"]?.string.flatMap(UUID.init(text:))
      else { continue }
      let day = stage.today.adding(days: -ago).description
      guard entry["reported_on"]?.string != day else { continue }
      _ = try await stage.records.update(
        stage.acting,
        type: "maintenance.entry",
        id: id,
        fields: ["reported_on": .string(day)]
      )
      moved += 1
    }
    return moved
  }
}
