package import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// The company, the transaction and the day that every part of a load works with.
package struct DemoContext {
  package let series: DemoSeries
  package let tenant: DemoTenant
  /// All dates are told from it.
  package let today: LocalDate
  package let catalogue: TypeCatalogue
  /// The member whose private records are made; nil for records of the company.
  package let owner: DemoTenant.Member?
  /// History and feed of the records.
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

  package var tx: Transaction { ledger.tx }

  package var ids: DemoIDs { DemoIDs(series: series) }

  /// The id of a thing of this company.
  package func id(_ type: String, _ index: Int) -> UUID { ids.id(type, "\(tenant.index)/\(index)") }

  /// Chance for a purpose, the company's own.
  package func random(_ purpose: String) -> DemoRandom { DemoRandom(series, purpose, tenant.index) }

  /// A writer of records of a type.
  package func writer(
    _ type: String,
    _ columns: [String],
    computed: [(column: String, expression: SQL)] = []
  ) throws -> SeedWriter {
    try SeedWriter(type, columns, computed: computed, catalogue: catalogue, ledger: ledger)
  }

  /// A day so many before today.
  package func day(_ ago: Int) -> LocalDate { today.adding(days: -ago) }

  /// A moment of a day in UTC.
  package func moment(_ day: LocalDate, minute: Int = 8 * 60) -> Timestamp {
    Timestamp(microseconds: (Int64(day.daysSince1970) * 86_400 + Int64(minute) * 60) * 1_000_000)
  }
}
