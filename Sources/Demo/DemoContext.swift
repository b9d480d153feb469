internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// What every part of a load works with: one company, one transaction, one day that is today.
struct DemoContext {
  let series: DemoSeries
  let tenant: DemoTenant
  /// All dates are told from it.
  let today: LocalDate
  let catalogue: TypeCatalogue
  /// Whose private records are made; nil for what belongs to the company.
  let owner: DemoTenant.Member?
  /// What the records leave behind.
  let ledger: SeedLedger

  init(
    series: DemoSeries,
    tenant: DemoTenant,
    today: LocalDate,
    catalogue: TypeCatalogue,
    owner: DemoTenant.Member?,
    _ tx: Transaction
  ) {
    self.series = series
    self.tenant = tenant
    self.today = today
    self.catalogue = catalogue
    self.owner = owner
    // The operator's hand is the system's here, in every run the same.
    let context = WorkContext(
      company: tenant.id,
      actor: .system("demo"),
      user: owner?.id,
      mode: .import,
      requestID: DemoIDs(series: series).id("request", "\(tenant.index)")
    )
    ledger = SeedLedger(context, tx)
  }

  var tx: Transaction { ledger.tx }

  var ids: DemoIDs { DemoIDs(series: series) }

  /// The id of a thing of this company.
  func id(_ type: String, _ index: Int) -> UUID { ids.id(type, "\(tenant.index)/\(index)") }

  /// Chance for a purpose, the company's own.
  func random(_ purpose: String) -> DemoRandom { DemoRandom(series, purpose, tenant.index) }

  func writer(
    _ type: String,
    _ columns: [String],
    computed: [(column: String, expression: SQL)] = []
  ) throws -> SeedWriter {
    try SeedWriter(type, columns, computed: computed, catalogue: catalogue, ledger: ledger)
  }

  /// A day so many before today.
  func day(_ ago: Int) -> LocalDate { today.adding(days: -ago) }

  /// A moment of a day in UTC.
  func moment(_ day: LocalDate, minute: Int = 8 * 60) -> Timestamp {
    Timestamp(microseconds: (Int64(day.daysSince1970) * 86_400 + Int64(minute) * 60) * 1_000_000)
  }
}
