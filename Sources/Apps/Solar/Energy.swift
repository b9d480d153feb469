package import Domain
package import Engine
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// The newest sample of a site, with its age.
package struct CurrentReading: RowDecodable, Sendable {
  package let site: UUID
  package let siteName: String
  /// Power in kW; nil if the newest sample has none.
  package let inverterReading: String?
  /// Meter reading in kWh; nil if the newest sample has none.
  package let meterReading: String?
  package let timestamp: Instant
  package let ageSeconds: Int64
  /// True if the sample is more than two minutes old.
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

/// The energy of a site on one day.
package struct EnergyDay: RowDecodable, Sendable {
  package let date: LocalDate
  /// Energy in kWh, exact to the watt-hour; nil without a meter reading.
  package let kwh: String?
  package let peakKW: String?
  /// The longest gap between samples that ended on the day, in seconds.
  package let longestGapSeconds: Int64?
  /// The number of meter readings that do not count: below or above what the counter can show, and not confirmed.
  package let uncounted: Int64
  /// Energy in kWh of steps above what the site's capacity allows, which is not in ``kwh``.
  package let leftOutKWh: String

  package init(row: inout RowReader) throws(PostgresError) {
    date = try row.next()
    kwh = try row.next()
    peakKW = try row.next()
    longestGapSeconds = try row.next()
    uncounted = try row.next()
    leftOutKWh = try row.next()
  }

  /// True if a gap of more than an hour ended on the day, so that its energy may belong to earlier days.
  package var endsGap: Bool { (longestGapSeconds ?? 0) > 3_600 }

  /// True if steps of the day are above the limit of the site.
  package var leavesOut: Bool { Double(leftOutKWh) != 0 }

  /// True if every meter reading of the day counts, in full.
  package var isWhole: Bool { uncounted == 0 && !leavesOut }
}

/// The energy of a site in one hour.
package struct EnergyHour: RowDecodable, Sendable {
  package let startsAt: Instant
  /// When it begins on the clocks of the site, such as `02:00`; twice on the day that has the hour twice.
  package let localTime: String
  /// How far the clocks of the site are before UTC, such as `+02:00`.
  package let offset: String
  /// Energy in kWh, exact to the watt-hour; nil if no readings cover the hour.
  package let kwh: String?
  package let peakKW: String?

  package init(row: inout RowReader) throws(PostgresError) {
    startsAt = try row.next()
    localTime = try row.next()
    offset = try row.next()
    kwh = try row.next()
    peakKW = try row.next()
  }
}

/// Current power and daily energy of sites, in their own time zones.
package struct Energy: Sendable {
  let administration: CompanyAdministration

  package init(_ services: Services) {
    administration = CompanyAdministration(services)
  }

  /// Returns the newest sample of one site.
  ///
  /// - Throws: `no_reading` if the site has no sample, instead of returning zero.
  package func current(_ acting: ActingContext, site: UUID) async throws -> CurrentReading {
    let found = try await current(acting, sites: [site])
    guard let reading = found.first else { throw DomainError(.noReading) }
    return reading
  }

  /// Returns the newest sample of each site that has one.
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

  /// Returns a day and its hours on the clocks of a site: 24, or 23 or 25 when the clocks change.
  ///
  /// - Parameters:
  ///   - name: the name or id of the site; nil for the company's only one.
  ///   - day: nil for today in the site's time zone.
  /// - Throws: as ``live(_:site:)``, but `not_found` if the company has no site.
  package func hours(_ acting: ActingContext, site name: String?, on day: LocalDate?) async throws -> (
    site: UUID, day: LocalDate, hours: [EnergyHour]
  ) {
    try await administration.read(acting, permission: "solar.sample.read") { tx, _ in
      guard let id = try Self.site(name, acting, tx) else {
        throw DomainError(.notFound, "the company has no solar site")
      }
      let today = try tx.value(
        """
        select (now() at time zone core.known_zone(s.timezone))::date
        from solar.site s where s.company_id = \(acting.company.id) and s.id = \(id)
        """,
        as: LocalDate.self
      )
      let hours = try tx.rows(
        """
        select h.starts_at, to_char(l.at, 'HH24:MI'),
          case when l.at < u.at then '-' else '+' end
            || to_char(greatest(l.at - u.at, u.at - l.at), 'HH24:MI'),
          h.kwh::text, h.peak_kw::text
        from solar.hours(\(acting.company.id), \(id), \(day ?? today)) h
        cross join lateral (select h.starts_at at time zone h.timezone as at) l
        cross join lateral (select h.starts_at at time zone 'UTC' as at) u
        order by h.starts_at
        """,
        as: EnergyHour.self
      )
      return (id, day ?? today, hours)
    }
  }

  /// Returns a site's days with samples, oldest first.
  ///
  /// - Parameters:
  ///   - first: the first day in the site's time zone; nil for thirty days before the last.
  ///   - last: the last day; nil for today in the site's time zone.
  ///   - spread: true to divide energy counted across midnight among its days by time, instead of counting
  ///     it for the last day. Days within a gap then have a row too.
  package func daily(
    _ acting: ActingContext,
    site: UUID,
    from first: LocalDate? = nil,
    through last: LocalDate? = nil,
    spread: Bool = false
  ) async throws -> [EnergyDay] {
    try await administration.read(acting, permission: "solar.sample.read") { tx, _ in
      try tx.rows(
        """
        select d.local_date, round(d.kwh, 3)::text, d.peak_kw::text, extract(epoch from d.longest_gap)::bigint,
          d.uncounted, trim_scale(d.left_out_kwh)::text
        from solar.site s
        cross join lateral (select (now() at time zone core.known_zone(s.timezone))::date as today) t
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
