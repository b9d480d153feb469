internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Loads the data of one company.
struct TenantLoad: Sendable {
  let request: DemoLoad.Request
  let tenant: DemoTenant
  /// The company's share of each app.
  let shares: [any DemoShare]
  let today: LocalDate
  let catalogue: TypeCatalogue
  let database: Database
  let counter: DemoLoad.LoadCounter

  func run() async throws {
    try await inside(nil) { context in try DemoPeople(context: context).load() }
    for share in shares where share.companyRows > 0 {
      let made = try await inside(nil) { context in try share.load(context) }
      counter.add(made, planned: share.companyRows)
    }
    try await privateRecords()
    if request.apps == nil {
      let made = try await inside(nil) { context in try DemoPeople(context: context).jobs() }
      counter.add(DemoCount(records: made), planned: tenant.jobs)
    }
  }

  /// Writes the private records of each member in a transaction as that member, since only owners may write
  /// them.
  private func privateRecords() async throws {
    let members = tenant.keepers
    var random = DemoRandom(request.series, "appetite", tenant.index)
    let appetites = members.map { _ in 0.3 + random.unit() }
    let dealt = shares.map { $0.members(appetites) }.filter { !$0.isEmpty }
    guard !dealt.isEmpty else { return }
    for (place, member) in members.enumerated() {
      let shares = dealt.map { $0[place] }
      let made = try await inside(member) { context in
        try shares.reduce(0) { try $0 + $1.load(context, of: member, place: place) }
      }
      counter.add(DemoCount(records: made), planned: shares.reduce(0) { $0 + $1.rows })
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
    // No wait for the disk: if a crash loses the last commits, the next load writes them again.
    options.settings.append(.text("synchronous_commit", "off"))
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
