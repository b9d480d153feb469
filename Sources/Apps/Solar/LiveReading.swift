internal import Domain
package import Engine
package import FoundationEssentials
package import Postgres
internal import Store

/// The newest value of each quantity of a site, as phones show it. Both values exist.
package struct LiveReading: RowDecodable, Sendable {
  package let site: UUID
  /// Power in kW.
  package let inverterReading: String
  /// Meter reading in kWh.
  package let meterReading: String
  /// The time of the newer of the two values.
  package let timestamp: Instant
  /// The age of the newer value in seconds, at least 0.
  package let ageSeconds: Int64
  /// True if one of the values is more than two minutes old.
  package let isStale: Bool

  package init(row: inout RowReader) throws(PostgresError) {
    site = try row.next()
    inverterReading = try row.next()
    meterReading = try row.next()
    timestamp = try row.next()
    ageSeconds = try row.next()
    isStale = try row.next()
  }
}

extension Energy {
  /// Returns the newest value of each quantity. A sample without a quantity does not hide an earlier one with it.
  ///
  /// - Parameter name: the name or id of the site; nil for the company's only one.
  /// - Throws: `no_reading` if a quantity was never measured or the company has no site, `invalid_input` if the
  ///   company has several and none is named, `not_found` for an unknown site.
  package func live(_ acting: ActingContext, site name: String?) async throws -> LiveReading {
    try await administration.read(acting, permission: "solar.sample.read") { tx, _ in
      guard let site = try Self.site(name, acting, tx) else { throw DomainError(.noReading) }
      let found = try tx.first(
        """
        select \(site), p.inverter_kw::text, e.meter_kwh::text, greatest(p.taken_at, e.taken_at),
          greatest(0, floor(extract(epoch from now() - greatest(p.taken_at, e.taken_at))))::bigint,
          least(p.taken_at, e.taken_at) < now() - interval '120 seconds'
        from (
          select s.inverter_kw, s.taken_at from solar.sample s
          where s.company_id = \(acting.company.id) and s.site_id = \(site) and s.inverter_kw is not null
          order by s.taken_at desc
          limit 1
        ) p
        cross join (
          select s.meter_kwh, s.taken_at from solar.sample s
          where s.company_id = \(acting.company.id) and s.site_id = \(site) and s.meter_kwh is not null
          order by s.taken_at desc
          limit 1
        ) e
        """,
        as: LiveReading.self
      )
      guard let found else { throw DomainError(.noReading) }
      return found
    }
  }

  /// Returns the site for a recording. Requires `solar.recording.create`.
  ///
  /// - Throws: as ``live(_:site:)``, but `not_found` if the company has no site.
  package func siteToRecord(_ acting: ActingContext, named name: String?) async throws -> UUID {
    try await administration.read(acting, permission: "solar.recording.create") { tx, _ in
      guard let site = try Self.site(name, acting, tx) else {
        throw DomainError(.notFound, "the company has no solar site")
      }
      return site
    }
  }

  /// Returns the named site, or the only one; nil if there is none and none is named.
  static func site(_ name: String?, _ acting: ActingContext, _ tx: Transaction) throws -> UUID? {
    let id = name.flatMap(UUID.init(text:))
    let found = try tx.rows(
      """
      select t.id from solar.site t
      where t.company_id = \(acting.company.id) and t.deleted_at is null
        and (\(nullable: name)::text is null or t.id = \(nullable: id) or t.name = \(nullable: name))
      order by t.id
      limit 2
      """,
      UUID.self
    )
    guard found.count < 2 else {
      throw DomainError(
        .invalidInput,
        "the company has several sites",
        hint: "name one with ?site=, by its name or id"
      )
    }
    if found.isEmpty, name != nil { throw DomainError(.notFound, "there is no such site") }
    return found.first
  }
}
