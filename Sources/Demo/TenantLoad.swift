internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The load of one company.
struct TenantLoad: Sendable {
  let request: DemoLoad.Request
  let tenant: DemoTenant
  let today: LocalDate
  let solar: (days: Int, seconds: Int)
  let catalogue: TypeCatalogue
  let database: Database
  let counter: DemoLoad.LoadCounter

  func run() async throws {
    try await inside(nil) { context in try DemoPeople(context: context).load() }
    if request.wants("maintenance") {
      try await records("maintenance") { context in try DemoMaintenance(context: context).load() }
    }
    if request.wants("inventory") {
      try await records("inventory") { context in try DemoInventory(context: context).load() }
    }
    if request.wants("solar") {
      let made = try await inside(nil) { context in
        try DemoSolar(context: context, days: solar.days, seconds: solar.seconds).load()
      }
      let samples = tenant.counts.sites * solar.days * 86_400 / solar.seconds
      counter.add(records: made.records, samples: made.samples, planned: planned("solar") + samples)
    }
    try await privateRecords()
    if request.apps == nil {
      let made = try await inside(nil) { context in try DemoPeople(context: context).jobs() }
      counter.add(records: made, planned: tenant.counts.jobs)
    }
  }

  /// Loads the records of an app that belong to the company.
  private func records(_ app: String, _ load: @escaping @Sendable (DemoContext) throws -> Int) async throws {
    counter.add(records: try await inside(nil, load), planned: planned(app))
  }

  private func planned(_ app: String) -> Int {
    var request = request
    request.apps = [app]
    return request.records(of: tenant)
  }

  /// What belongs to single members, each in a transaction of their own: nobody else could write it.
  private func privateRecords() async throws {
    let owners = tenant.keepers
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
    let wants = (macros: request.wants("macros"), trips: request.wants("trips"))
    for (place, owner) in owners.enumerated() {
      let trips = (
        plans: plans[place], stops: stops[place], conversations: talks[place], messages: messages[place]
      )
      let made = try await inside(owner) { context in
        var made = 0
        if wants.macros, meals[place] > 0 {
          made += try DemoMacros(context: context, owner: owner, place: place, count: meals[place]).load()
        }
        if wants.trips {
          made += try DemoTrips(context: context, owner: owner, place: place, counts: trips).load()
        }
        return made
      }
      let planned =
        (wants.macros ? meals[place] + 5 : 0)
        + (wants.trips ? trips.plans + trips.stops + trips.conversations + trips.messages : 0)
      counter.add(records: made, planned: planned)
    }
  }

  private func inside<Value: Sendable>(
    _ owner: DemoTenant.Member?,
    _ body: @escaping @Sendable (DemoContext) throws -> Value
  ) async throws -> Value {
    var options = TransactionOptions.inside(
      tenant.id,
      user: owner?.id,
      mode: .import,
      statementTimeout: .seconds(600)
    )
    // A crash of the machine may undo the last commits, which the next load makes again: nobody waits for the disk.
    options.settings.append(.word("synchronous_commit", "off"))
    return try await database.transaction(options) { tx in
      let context = DemoContext(
        series: request.series,
        tenant: tenant,
        today: today,
        catalogue: catalogue,
        owner: owner,
        tx
      )
      let value = try body(context)
      try context.ledger.flush()
      return value
    }
  }
}
