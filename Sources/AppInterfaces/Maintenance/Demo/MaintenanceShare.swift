internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Store

/// One company's machines, work orders and working hours.
struct MaintenanceShare: DemoShare {
  var machines = 0
  var customCategories = 0
  var entries = 0
  var timeEntries = 0

  var companyRows: Int {
    machines + MaintenanceWords.baseCategories.count + customCategories + entries + timeEntries
  }

  func load(_ context: DemoContext) throws -> DemoCount {
    DemoCount(records: try MaintenanceLoad(share: self, context: context).run())
  }
}

/// Writes one company's share of the maintenance data.
private struct MaintenanceLoad {
  let share: MaintenanceShare
  let context: DemoContext

  private var tenant: DemoTenant { context.tenant }

  /// - Returns: the number of new records.
  func run() throws -> Int {
    let inserted = try machines() + categories()
    return try inserted + entries()
  }

  private func machines() throws -> Int {
    var random = context.random("machines")
    let machines = (0..<share.machines).map { index in
      let status = random.pick(
        [("out_of_service", 0.06), ("retired", 0.04), ("active", 0.90)] as [(String, Double)]
      )
      let number = String(index + 1)
      let code = "RM-" + String(repeating: "0", count: max(0, 3 - number.count)) + number
      return Seed(
        id: context.id("maintenance.machine", index),
        createdAt: context.moment(context.day(1_200 - index % 400)),
        maker: tenant.members.first?.id,
        status: status,
        cells: [code, random.pick(MaintenanceWords.machines)]
      )
    }
    return try context.ledger.write("maintenance.machine", ["code", "name"], machines)
  }

  private func categories() throws -> Int {
    var random = context.random("categories")
    var categories = MaintenanceWords.baseCategories.enumerated().map { index, name in
      category(index, name, machine: nil)
    }
    for index in 0..<share.customCategories {
      // The first machines have the most categories.
      let machine = zipf(&random, share.machines)
      categories.append(
        category(8 + index, "Special \(index + 1)", machine: context.id("maintenance.machine", machine))
      )
    }
    return try context.ledger.write("maintenance.category", ["name", "machine_id"], categories)
  }

  private func category(_ index: Int, _ name: String, machine: UUID?) -> Seed {
    Seed(
      id: context.id("maintenance.category", index),
      createdAt: context.moment(context.day(1_200)),
      maker: tenant.members.first?.id,
      status: nil,
      cells: [name, machine?.text]
    )
  }

  private func entries() throws -> Int {
    var random = context.random("entries")
    let statuses = statuses(&random)
    let started = statuses.indices.filter { statuses[$0] != "pending" }
    let hours = DemoShares.deal(share.timeEntries, started.map { _ in 0.5 + random.unit() })
    let hoursOf = Dictionary(uniqueKeysWithValues: zip(started, hours))
    var roster = DemoTime.Roster()
    var (entries, times): ([Seed], [Seed]) = ([], [])
    for (index, status) in statuses.enumerated() {
      let entry = DemoEntry(context, index, status, machine: zipf(&random, share.machines), &random)
      entries.append(entry.seed)
      for _ in 0..<(hoursOf[index] ?? 0) {
        times.append(DemoTime(context, times.count, of: entry, &roster, &random).seed)
      }
    }
    // Time entries reference their work orders.
    let inserted = try context.ledger.write("maintenance.entry", DemoEntry.columns, entries)
    return try inserted
      + context.ledger.write(
        "maintenance.time_entry",
        DemoTime.columns,
        computed: DemoTime.computed(zone: tenant.timeZone),
        times
      )
  }

  /// Returns the statuses in random order: 35 % pending, 10 % in progress and 55 % completed. If there are
  /// three or more entries, each status has at least one.
  private func statuses(_ random: inout DemoRandom) -> [String] {
    let shares = DemoShares.deal(
      share.entries,
      [0.35, 0.10, 0.55],
      least: share.entries >= 3 ? 1 : 0
    )
    var statuses = zip(["pending", "in_progress", "completed"], shares).flatMap {
      Array(repeating: $0, count: $1)
    }
    statuses.shuffle(using: &random)
    return statuses
  }

  /// Returns a random index below `count`. Lower indices are more frequent.
  private func zipf(_ random: inout DemoRandom, _ count: Int) -> Int {
    let rank = pow(random.unit(), 2.2) * Double(count)
    return min(count - 1, Int(rank))
  }
}
