internal import Apps
internal import Demo
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Secrets

/// The machines of the company `demo`, and work orders in every state.
struct WorkshopDemo {
  private let stage: DemoStage

  init(_ stage: DemoStage) {
    self.stage = stage
  }

  /// Days between the report of each work order and today, by description.
  static var daysAgo: [String: Int] {
    Dictionary(uniqueKeysWithValues: jobs.map { ($0.text, $0.daysAgo) })
  }

  /// Creates the missing records as the members `eva` and `ana`.
  func create() async throws {
    let eva = try await stage.member("eva")
    let ana = try await stage.member("ana")
    let machines = try await machines(as: eva)
    let entries = try await stage.records.list(stage.acting, type: "maintenance.entry", RecordQuery())
    let loaded = Set(entries.compactMap { $0["description"]?.string })
    // The order matters, since the engine numbers the work orders from WO-1001.
    for job in Self.jobs where !loaded.contains(job.text) {
      guard let machine = machines[job.machine] else { continue }
      try await create(job, of: machine, eva, ana)
    }
  }

  /// Creates the missing machines and returns all machines by code.
  private func machines(as eva: ActingContext) async throws -> [String: UUID] {
    var machines: [String: UUID] = [:]
    for document in try await stage.records.list(stage.acting, type: "maintenance.machine", RecordQuery()) {
      guard let code = document["code"]?.string else { continue }
      machines[code] = document["id"]?.string.flatMap(UUID.init(text:))
    }
    for (code, name) in Self.machines where machines[code] == nil {
      machines[code] = try await stage.records.create(
        eva,
        type: "maintenance.machine",
        fields: ["code": .string(code), "name": .string(name)]
      ).id
    }
    return machines
  }

  private func create(_ job: Job, of machine: UUID, _ eva: ActingContext, _ ana: ActingContext) async throws {
    let records = stage.records
    let category = try await records.resolve(eva, type: "maintenance.category", job.category)
    let day = stage.today.adding(days: -job.daysAgo).description
    let fields: JSONObject = [
      "machine_id": .string(machine.text), "category_id": .string(category.text),
      "description": .string(job.text), "estimated_hours": .string(job.estimate),
      "reported_on": .string(day),
    ]
    let entry = try await records.create(eva, type: "maintenance.entry", fields: fields).id
    guard job.state > 0 else { return }
    try await take("start", entry, as: ana)
    guard let worker = ana.user else { return }
    _ = try await records.create(
      ana,
      type: "maintenance.time_entry",
      fields: [
        "entry_id": .string(entry.text), "user_id": .string(worker.text), "work_date": .string(day),
        "start_time": "08:00", "end_time": "16:30", "has_lunch": true,
      ]
    )
    guard job.state > 1 else { return }
    try await take("complete", entry, as: ana)
  }

  private func take(_ transition: String, _ entry: UUID, as member: ActingContext) async throws {
    _ = try await stage.records.transition(
      member,
      type: "maintenance.entry",
      id: entry,
      request: TransitionRequest(transition)
    )
  }

  private struct Job {
    let machine: String
    let category: String
    let text: String
    let estimate: String
    let daysAgo: Int
    /// 0 for pending, 1 for in progress, 2 for completed.
    let state: Int
  }

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
