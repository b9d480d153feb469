package import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store
internal import Synchronization

/// Demo and load data: deterministic from a number, dated from a day, and added once however often it is loaded.
///
/// A few companies at a time, each in a few transactions: private records in their owner's. What is in memory is a
/// batch of one type for each of them. Records come with history of kind import, arm no timers, send no notices, set off no hooks.
package struct DemoLoad: Sendable {
  /// What to load.
  package struct Request: Sendable {
    package var scale: DemoScale
    /// Another number makes other companies beside those that are there, and so does another scale.
    package var number = 1
    /// Only these apps; nil for all.
    package var apps: Set<String>?
    /// The day that dates are told from; nil for today.
    package var day: LocalDate?
    /// How many days of samples each site has; nil for as many as the scale says.
    package var solarDays: Int?

    package init(scale: DemoScale) { self.scale = scale }

    /// What tells its companies from those of other loads.
    var series: DemoSeries { DemoSeries("\(scale.rawValue.lowercased())\(number)") }

    func wants(_ app: String) -> Bool { apps?.contains(app) ?? true }

    /// How many records a company is going to have.
    func records(of tenant: DemoTenant) -> Int {
      let counts = tenant.counts
      let all = [
        "maintenance": counts.machines + 8 + counts.customCategories + counts.entries + counts.timeEntries,
        "inventory": counts.items + counts.claims,
        "macros": counts.macroEntries + 5 * tenant.keepers.count,
        "solar": counts.sites + counts.recordings,
        "trips": counts.plans + counts.stops + counts.conversations + counts.messages,
      ]
      return all.reduce(apps == nil ? counts.jobs : 0) { $0 + (wants($1.key) ? $1.value : 0) }
    }
  }

  /// What a load did.
  package struct Outcome: Sendable {
    /// Companies that it made or found.
    package var companies = 0
    /// Records, jobs among them, that were not there before.
    package var records = 0
    /// Samples of solar sites that were not there before.
    package var samples = 0
  }

  /// How far it has come: rows done, of rows in all; samples are rows too.
  package typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

  /// The apps that it has data for.
  package static let apps = ["inventory", "macros", "maintenance", "solar", "trips"]

  /// While one company's rows are being made up, others' are being written: neither program nor server waits.
  private static let concurrency = 4

  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Loads, if the database does not have it already.
  ///
  /// - Throws: `not_found` for an app that there is no data for.
  package func run(_ request: Request, progress: @escaping Progress = { _, _ in }) async throws -> Outcome {
    for app in request.apps ?? [] where !Self.apps.contains(app) {
      throw DomainError(
        .notFound,
        "there is no demo data for \(Quoted(app))",
        hint: Suggestion.closest(to: app, among: Self.apps).map { "did you mean \($0)?" }
          ?? "there is for: \(Self.apps.joined(separator: ", "))"
      )
    }
    let catalogue = try await services.database.transaction { tx in try TypeCatalogue.load(tx) }
    let today = try await day(request)
    let figures = request.scale.figures
    let solar = (days: request.solarDays ?? figures.solarDays, seconds: figures.solarSeconds)
    let tenants = DemoPlanner(series: request.series, figures: figures).tenants()
    try await DemoPeople.makeUsers(of: tenants, services.database)
    let samples = request.wants("solar") ? solar.days * 86_400 / solar.seconds : 0
    let counter = LoadCounter(
      total: tenants.reduce(0) { $0 + request.records(of: $1) + $1.counts.sites * samples },
      progress
    )
    let loads = tenants.lazy.map { tenant in
      TenantLoad(
        request: request,
        tenant: tenant,
        today: today,
        solar: solar,
        catalogue: catalogue,
        database: services.database,
        counter: counter
      )
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (place, load) in loads.enumerated() {
        if place >= Self.concurrency { try await group.next() }
        group.addTask { try await load.run() }
      }
      try await group.waitForAll()
    }
    var outcome = counter.outcome
    outcome.companies = tenants.count
    return outcome
  }

  /// Adds up what companies that are loaded at the same time report.
  final class LoadCounter: Sendable {
    private let state = Mutex<(outcome: Outcome, done: Int)>((Outcome(), 0))
    private let total: Int
    private let progress: Progress

    init(total: Int, _ progress: @escaping Progress) {
      self.total = total
      self.progress = progress
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// - Parameter planned: how many rows are done with, new or not.
    func add(records: Int, samples: Int = 0, planned: Int) {
      let done = state.withLock { state in
        state.outcome.records += records
        state.outcome.samples += samples
        state.done += planned
        return state.done
      }
      progress(done, total)
    }
  }

  private func day(_ request: Request) async throws -> LocalDate {
    if let day = request.day { return day }
    let today = try await services.database.value(
      "select (now() at time zone 'UTC')::date",
      as: CalendarDate.self
    )
    return try LocalDate(parsing: today.description)
  }
}
