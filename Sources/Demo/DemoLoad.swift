package import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store
internal import Synchronization

/// Loads demo and load-test data. The same request creates the same data on the same day, and a repetition
/// adds nothing.
///
/// Several companies are loaded at a time, each in one transaction per app. Private records are written in
/// one transaction per owner. Memory holds the records of one type per company. Records have history of kind `import`;
/// they start no timers, notices or hooks.
package struct DemoLoad: Sendable {
  /// The parameters of a load.
  package struct Request: Sendable {
    package var scale: DemoScale
    /// The number of the load. Another number or scale adds other companies.
    package var number = 1
    /// The apps to load; nil for all.
    package var apps: Set<String>?
    /// The day that dates are relative to; nil for today in UTC.
    package var day: LocalDate?
    /// Number of days with time series; nil for the app's default at the scale.
    package var sampleDays: Int?

    package init(scale: DemoScale) { self.scale = scale }

    /// The series that separates this load's companies from those of other loads.
    package var series: DemoSeries { DemoSeries("\(scale.rawValue.lowercased())\(number)") }

    func wants(_ app: String) -> Bool { apps?.contains(app) ?? true }
  }

  /// The result of a load.
  package struct Outcome: Sendable {
    /// Number of companies that were created or found.
    package var companies = 0
    /// Number of new records, including jobs.
    package var records = 0
    /// Number of new rows of time series.
    package var samples = 0
  }

  /// Reports the number of finished rows and the total, both including samples.
  package typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

  /// Number of companies loaded at the same time: some rows are generated while others are written, so
  /// neither the program nor the server idles.
  private static let concurrency = 4

  private let services: Services
  private let demos: [any AppDemo]

  /// - Parameter demos: the demo data of the apps, in the order of writing.
  package init(_ services: Services, _ demos: [any AppDemo]) {
    self.services = services
    self.demos = demos
  }

  /// Loads the rows that the database does not have yet.
  ///
  /// - Throws: `not_found` for an app without demo data.
  package func run(_ request: Request, progress: @escaping Progress = { _, _ in }) async throws -> Outcome {
    try requireData(for: request.apps ?? [])
    let catalogue = try await services.database.transaction { tx in try TypeCatalogue.load(tx) }
    let today = try await day(request)
    let planner = DemoPlanner(series: request.series, figures: request.scale.figures)
    let tenants = planner.tenants()
    try await DemoPeople.makeUsers(of: tenants, services.database)
    let dealt = demos.filter { request.wants($0.app) }.map { $0.shares(request, among: planner.sizes) }
    let shares = tenants.indices.map { index in dealt.map { $0[index] } }
    let counter = LoadCounter(
      total: zip(tenants, shares).reduce(0) { total, company in
        let (tenant, shares) = company
        let members = tenant.keepers.count
        return shares.reduce(total + (request.apps == nil ? tenant.jobs : 0)) {
          $0 + $1.companyRows + $1.memberRows(members)
        }
      },
      progress
    )
    let loads = zip(tenants, shares).lazy.map { tenant, shares in
      TenantLoad(
        request: request,
        tenant: tenant,
        shares: shares,
        today: today,
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

  /// Adds up the counts of companies that are loaded concurrently.
  final class LoadCounter: Sendable {
    private let state = Mutex<(outcome: Outcome, done: Int)>((Outcome(), 0))
    private let total: Int
    private let progress: Progress

    init(total: Int, _ progress: @escaping Progress) {
      self.total = total
      self.progress = progress
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// - Parameter planned: number of rows done, whether new or not.
    func add(_ made: DemoCount, planned: Int) {
      let done = state.withLock { state in
        state.outcome.records += made.records
        state.outcome.samples += made.samples
        state.done += planned
        return state.done
      }
      progress(done, total)
    }
  }

  private func requireData(for wanted: Set<String>) throws {
    let apps = demos.map(\.app).sorted()
    for app in wanted where !apps.contains(app) {
      throw DomainError(
        .notFound,
        "there is no demo data for \(Quoted(app))",
        hint: Suggestion.closest(to: app, among: apps).map { "did you mean \($0)?" }
          ?? "use one of: \(apps.joined(separator: ", "))"
      )
    }
  }

  private func day(_ request: Request) async throws -> LocalDate {
    if let day = request.day { return day }
    return try await services.database.value(
      "select (now() at time zone 'UTC')::date",
      as: LocalDate.self
    )
  }
}
