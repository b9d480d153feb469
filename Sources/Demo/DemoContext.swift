package import Domain
package import FoundationEssentials
package import Postgres
internal import Store

/// The company, transaction and day that all parts of a load share.
package struct DemoContext {
  package let series: DemoSeries
  package let tenant: DemoTenant
  /// The day that all dates are relative to.
  package let today: LocalDate
  /// The owner of the private records; nil for records of the company.
  package let owner: DemoTenant.Member?
  /// The writer of the records.
  package let ledger: SeedLedger

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
    self.owner = owner
    // The system is the actor, not the operator, so that all runs write the same history.
    let context = WorkContext(
      company: tenant.id,
      actor: .system("demo"),
      user: owner?.id,
      mode: .import,
      requestID: DemoIDs(series: series).id("request", "\(tenant.index)")
    )
    ledger = SeedLedger(context, catalogue, tx)
  }

  package var tx: Transaction { ledger.tx }

  package var ids: DemoIDs { DemoIDs(series: series) }

  /// Returns the id of a record of this company.
  package func id(_ type: String, _ index: Int) -> UUID { ids.id(type, "\(tenant.index)/\(index)") }

  /// Returns the random number generator of a purpose, such as `items`, in this company.
  package func random(_ purpose: String) -> DemoRandom { DemoRandom(series, purpose, tenant.index) }

  /// Returns the day that is `ago` days before today.
  package func day(_ ago: Int) -> LocalDate { today.adding(days: -ago) }

  /// Returns a time on a day in UTC.
  ///
  /// - Parameter minute: minutes after midnight; a negative number is on an earlier day.
  package func moment(_ day: LocalDate, minute: Int = 8 * 60) -> Instant {
    Instant(microseconds: (Int64(day.daysSince1970) * 86_400 + Int64(minute) * 60) * 1_000_000)
  }
}
