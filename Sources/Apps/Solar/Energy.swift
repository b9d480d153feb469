package import Domain
package import Engine
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// The newest sample of a site, with how old it is.
package struct CurrentReading: RowDecodable, Sendable {
  package let site: UUID
  package let siteName: String
  /// Power in kW; nil when the newest sample has none.
  package let inverterReading: String?
  /// What the meter showed in kWh.
  package let meterReading: String?
  package let timestamp: Timestamp
  package let ageSeconds: Int64
  /// More than two minutes old.
  package let isStale: Bool

  package init(row: inout RowReader) throws(PostgresError) {
    site = try row.next()
    siteName = try row.next()
    inverterReading = try row.next()
    meterReading = try row.next()
    timestamp = try row.next()
    ageSeconds = try row.next()
    isStale = try row.next()
  }
}

/// What a site gave on a day.
package struct EnergyDay: RowDecodable, Sendable {
  package let date: CalendarDate
  /// Exact to the watt-hour.
  package let kwh: String
  package let peakKW: String?
  /// The longest silence that ended on the day, in seconds.
  package let longestGapSeconds: Int64?

  package init(row: inout RowReader) throws(PostgresError) {
    date = try row.next()
    kwh = try row.next()
    peakKW = try row.next()
    longestGapSeconds = try row.next()
  }

  /// Whether a silence of more than an hour ended on the day, so that its energy may belong to days before.
  package var endsGap: Bool { (longestGapSeconds ?? 0) > 3_600 }
}

/// What sites show now and gave by day, in their own time zones.
package struct Energy: Sendable {
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    administration = CompanyAdministration(services)
  }

  /// The newest sample of one site.
  ///
  /// - Throws: `no_reading` when it has none, which is not the same as zero.
  package func current(_ acting: ActingContext, site: UUID) async throws -> CurrentReading {
    let found = try await current(acting, sites: [site])
    guard let reading = found.first else { throw DomainError(.noReading) }
    return reading
  }

  /// The newest sample of every site that has one.
  package func current(_ acting: ActingContext) async throws -> [CurrentReading] {
    try await current(acting, sites: nil)
  }

  private func current(_ acting: ActingContext, sites: [UUID]?) async throws -> [CurrentReading] {
    try await administration.read(acting, permission: "solar.sample.read") { tx, _ in
      try tx.rows(
        """
        select c.site_id, s.name, c.inverter_reading::text, c.meter_reading::text, c."timestamp", c.age_seconds, c.stale
        from solar.v_current c
        join solar.site s on s.company_id = c.company_id and s.id = c.site_id
        where c.company_id = \(acting.company.id)
          and (\(sites == nil) or c.site_id = any (\(sites ?? [])))
        order by s.name, c.site_id
        """,
        as: CurrentReading.self
      )
    }
  }

  /// A site's days, oldest first; a day without samples has no row.
  ///
  /// - Parameters:
  ///   - first: the first day, where the site is; nil: thirty days before the last.
  ///   - last: the last day; nil: today there.
  ///   - spread: share a step over midnight among its days by time, instead of counting it for the last.
  package func daily(
    _ acting: ActingContext,
    site: UUID,
    from first: LocalDate? = nil,
    through last: LocalDate? = nil,
    spread: Bool = false
  ) async throws -> [EnergyDay] {
    let (first, last) = (try first?.calendar, try last?.calendar)
    return try await administration.read(acting, permission: "solar.sample.read") { tx, _ in
      try tx.rows(
        """
        select d.local_date, round(d.kwh, 3)::text, d.peak_kw::text, extract(epoch from d.longest_gap)::bigint
        from solar.site s
        cross join lateral (select (now() at time zone s.timezone)::date as today) t
        cross join lateral solar.daily(
          s.company_id, s.id,
          coalesce(\(nullable: first), coalesce(\(nullable: last), t.today) - 30),
          coalesce(\(nullable: last), t.today),
          \(spread)) d
        where s.company_id = \(acting.company.id) and s.id = \(site)
        order by d.local_date
        """,
        as: EnergyDay.self
      )
    }
  }
}
