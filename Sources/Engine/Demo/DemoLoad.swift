package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Demo and load data: deterministic from a number, dated from a day, and added once however often it is loaded.
///
/// One company after another, each in a few transactions: private records in their owner's. What is in memory is a
/// batch of one type. Records come with history of kind import, arm no timers, send no notices, set off no hooks.
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

    package init(scale: DemoScale) { self.scale = scale }

    /// What tells its companies from those of other loads.
    var series: DemoSeries { DemoSeries("\(scale.rawValue.lowercased())\(number)") }
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

  /// How far it has come: records done, of records in all.
  package typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

  /// The apps that it has data for.
  package static let apps = ["inventory", "macros", "maintenance", "solar", "trips"]

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
    let tenants = DemoPlanner(series: request.series, figures: figures).tenants()
    let total = tenants.reduce(0) { $0 + $1.records }
    var outcome = Outcome()
    var done = 0
    for tenant in tenants {
      let load = TenantLoad(
        request: request,
        tenant: tenant,
        today: today,
        catalogue: catalogue,
        database: services.database
      )
      let made = try await load.run(figures)
      outcome.companies += 1
      outcome.records += made.records
      outcome.samples += made.samples
      done += tenant.records
      progress(done, total)
    }
    return outcome
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

/// The load of one company.
private struct TenantLoad: Sendable {
  let request: DemoLoad.Request
  let tenant: DemoTenant
  let today: LocalDate
  let catalogue: TypeCatalogue
  let database: Database

  func run(_ figures: DemoScale.Figures) async throws -> (records: Int, samples: Int) {
    var (records, samples) = (0, 0)
    try await inside(nil) { context in try DemoPeople(context: context).load() }
    if wants("maintenance") {
      records += try await inside(nil) { context in try DemoMaintenance(context: context).load() }
    }
    if wants("inventory") {
      records += try await inside(nil) { context in try DemoInventory(context: context).load() }
    }
    if wants("solar") {
      let made = try await inside(nil) { context in
        try DemoSolar(context: context, days: figures.solarDays, seconds: figures.solarSeconds).load()
      }
      records += made.records
      samples += made.samples
    }
    records += try await privateRecords()
    if request.apps == nil {
      records += try await inside(nil) { context in try DemoPeople(context: context).jobs() }
    }
    return (records, samples)
  }

  /// What belongs to single members, each in a transaction of their own: nobody else could write it.
  private func privateRecords() async throws -> Int {
    // Removed members had none, and viewers keep none.
    let owners = tenant.active.filter { $0.role != "viewer" }
    var random = DemoRandom(request.series, "appetite", tenant.index)
    let appetites = owners.map { _ in 0.3 + random.unit() }
    let counts = tenant.counts
    let meals = DemoShares.deal(counts.macroEntries, appetites)
    let (plans, talks) = (
      DemoShares.deal(counts.plans, appetites), DemoShares.deal(counts.conversations, appetites)
    )
    // Stops need a plan, and messages a conversation.
    let stops = DemoShares.deal(counts.stops, plans.map(Double.init))
    let messages = DemoShares.deal(counts.messages, talks.map(Double.init))
    var records = 0
    for (place, owner) in owners.enumerated() {
      let trips = (
        plans: plans[place], stops: stops[place], conversations: talks[place], messages: messages[place]
      )
      records += try await inside(owner) { context in
        var made = 0
        if wants("macros"), meals[place] > 0 {
          made += try DemoMacros(context: context, owner: owner, place: place, count: meals[place]).load()
        }
        if wants("trips") {
          made += try DemoTrips(context: context, owner: owner, place: place, counts: trips).load()
        }
        return made
      }
    }
    return records
  }

  private func wants(_ app: String) -> Bool { request.apps?.contains(app) ?? true }

  private func inside<Value: Sendable>(
    _ owner: DemoTenant.Member?,
    _ body: @escaping @Sendable (DemoContext) throws -> Value
  ) async throws -> Value {
    let options = TransactionOptions.inside(
      tenant.id,
      user: owner?.id,
      mode: .import,
      statementTimeout: .seconds(600)
    )
    return try await database.transaction(options) { tx in
      try body(
        DemoContext(
          series: request.series,
          tenant: tenant,
          today: today,
          catalogue: catalogue,
          tx: tx,
          owner: owner
        )
      )
    }
  }
}
