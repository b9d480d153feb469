internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// A company to try things on: a road-marking contractor with people, machines, and entries in every state.
package struct DemoCompany: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Makes the company `demo`, or what an interrupted earlier load left out.
  package func load(operatorName: String) async throws {
    let companies = Companies(services)
    var company = try await companies.list().first { $0.slug == "demo" }
    if company == nil {
      company = try await companies.create(
        slug: "demo",
        name: "Nordic Road Marking (demo)",
        kind: .demo,
        timeZone: "Europe/Stockholm",
        apps: try await Self.usedApps(services),
        owner: (email: "eva@demo.example", name: "Eva Lindqvist"),
        actor: .operator(operatorName)
      ).company
    }
    guard let company else { return }
    let operatorContext = ActingContext(company: company, actor: .operator(operatorName), user: nil)
    let members = Members(services)
    let present = Set(try await members.list(operatorContext).map(\.email))
    for (email, name, role) in Self.people where !present.contains(email) {
      _ = try await members.add(operatorContext, email: email, name: name, role: role)
    }
    let records = try await Records.open(services)
    try await services.rules.createStartingRecords(in: operatorContext, services, records)
    let contexts = ActingContexts(services)
    let eva = try await contexts.take(company: "demo", operatorName: operatorName, as: "eva")
    let ana = try await contexts.take(company: "demo", operatorName: operatorName, as: "ana")
    var machines: [String: UUID] = [:]
    for document in try await records.list(operatorContext, type: "maintenance.machine", RecordQuery()) {
      guard let code = document["code"]?.string else { continue }
      machines[code] = document["id"]?.string.flatMap(UUID.init(uuidString:))
    }
    for (code, name) in Self.machines where machines[code] == nil {
      machines[code] = try await records.create(
        eva,
        type: "maintenance.machine",
        fields: ["code": .string(code), "name": .string(name)]
      ).id
    }
    let entries = try await records.list(operatorContext, type: "maintenance.entry", RecordQuery())
    let loaded = Set(entries.compactMap { $0["description"]?.string })
    // In this order, since the engine numbers them: WO-1001 and so on.
    for job in Self.jobs where !loaded.contains(job.text) {
      try await load(job, machines, records, eva, ana)
    }
    try await DemoGuest(services, records).load(company)
  }

  /// The installed ones of the apps that the demo has records of.
  private static func usedApps(_ services: Services) async throws -> [String] {
    let used: Set = ["inventory", "macros", "maintenance", "solar", "trips"]
    return try await InstalledApps(services).list().map(\.name).filter(used.contains)
  }

  /// How many days before today each work order was reported, by its description.
  static var daysAgo: [String: Int] {
    Dictionary(uniqueKeysWithValues: jobs.map { ($0.text, $0.daysAgo) })
  }

  private func load(
    _ job: Job,
    _ machines: [String: UUID],
    _ records: Records,
    _ eva: ActingContext,
    _ ana: ActingContext
  ) async throws {
    guard let machine = machines[job.machine] else { return }
    let category = try await records.resolve(eva, type: "maintenance.category", job.category)
    let today = try await services.database.value(
      "select (now() at time zone 'Europe/Stockholm')::date - \(Int32(job.daysAgo))",
      as: CalendarDate.self
    )
    let fields: JSONObject = [
      "machine_id": .string(machine.text), "category_id": .string(category.text),
      "description": .string(job.text), "estimated_hours": .string(job.estimate),
      "reported_on": .string(today.description),
    ]
    let entry = try await records.create(eva, type: "maintenance.entry", fields: fields).id
    guard job.state > 0 else { return }
    _ = try await records.transition(
      ana,
      type: "maintenance.entry",
      id: entry,
      request: TransitionRequest("start")
    )
    guard let worker = ana.user else { return }
    _ = try await records.create(
      ana,
      type: "maintenance.time_entry",
      fields: [
        "entry_id": .string(entry.text), "user_id": .string(worker.text),
        "work_date": .string(today.description),
        "start_time": "08:00", "end_time": "16:30", "lunch_break_deducted": true,
      ]
    )
    guard job.state > 1 else { return }
    _ = try await records.transition(
      ana,
      type: "maintenance.entry",
      id: entry,
      request: TransitionRequest("complete")
    )
  }

  private struct Job {
    let machine: String
    let category: String
    let text: String
    let estimate: String
    let daysAgo: Int
    /// 0 pending, 1 in progress, 2 completed.
    let state: Int
  }

  private static let people = [
    ("ana@demo.example", "Ana Berg", "user"), ("olle@demo.example", "Olle Åström", "admin"),
    ("vera@demo.example", "Vera Holm", "viewer"),
  ]

  private static let machines = [
    ("RM-001", "Hofmann H26 line marker"), ("RM-002", "Graco LineLazer V 250"),
    ("RM-003", "Thermoplast kettle"),
    ("TR-010", "Support truck"),
  ]

  private static let jobs = [
    Job(
      machine: "RM-001",
      category: "Hydraulics",
      text: "Hose on the left arm leaks",
      estimate: "2",
      daysAgo: 12,
      state: 0
    ),
    Job(
      machine: "RM-001",
      category: "Spray guns",
      text: "Gun 3 drips",
      estimate: "0.5",
      daysAgo: 3,
      state: 1
    ),
    Job(
      machine: "RM-002",
      category: "Compressor",
      text: "Loses pressure when warm",
      estimate: "3",
      daysAgo: 1,
      state: 0
    ),
    Job(
      machine: "RM-003",
      category: "Paint system",
      text: "Stirrer is stuck",
      estimate: "4",
      daysAgo: 40,
      state: 2
    ),
    Job(
      machine: "RM-003",
      category: "Electrical",
      text: "Thermostat reads 20° too low",
      estimate: "1.5",
      daysAgo: 95,
      state: 0
    ),
    Job(machine: "TR-010", category: "Tyres", text: "Winter tyres", estimate: "1", daysAgo: 8, state: 2),
  ]
}
