internal import Domain
internal import FoundationEssentials
package import Postgres
internal import Store

/// The statements on samples. They use arrays, since COPY does not work under row-level security and is
/// hardly faster.
enum SampleStatements {
  /// Returns the statement that inserts samples that do not exist yet. Time and site are the natural key, so
  /// a replay adds nothing.
  static func insert(_ batch: SampleBatch, company: UUID, site: UUID) -> SQL {
    """
    insert into solar.sample (company_id, site_id, taken_at, inverter_kw, meter_kwh, first_kwh)
    select \(company), \(site), x.taken_at, x.inverter_kw::numeric, x.meter_kwh::numeric, x.first_kwh::numeric
    from unnest(\(batch.times), \(batch.power), \(batch.energy), \(batch.first))
      x (taken_at, inverter_kw, meter_kwh, first_kwh)
    on conflict (company_id, site_id, taken_at) do nothing
    """
  }

  /// Returns the query for the number of samples in a batch that exist with other numbers. A sample that does not
  /// mention a new counter says nothing about the mark of the stored one.
  static func differing(_ batch: SampleBatch, company: UUID, site: UUID) -> SQL {
    """
    select count(*)::int
    from unnest(\(batch.times), \(batch.power), \(batch.energy), \(batch.first))
      x (taken_at, inverter_kw, meter_kwh, first_kwh)
    join solar.sample s
      on s.company_id = \(company) and s.site_id = \(site) and s.taken_at = x.taken_at
    where s.inverter_kw is distinct from x.inverter_kw::numeric(10,3)
      or s.meter_kwh is distinct from x.meter_kwh::numeric(14,3)
      or x.first_kwh is not null and s.first_kwh is distinct from x.first_kwh::numeric(14,3)
    """
  }

  /// Returns the statement that deletes the samples between two times, both included, and returns them.
  static func remove(company: UUID, site: UUID, from: Instant, through: Instant) -> SQL {
    """
    delete from solar.sample
    where company_id = \(company) and site_id = \(site) and taken_at between \(from) and \(through)
    returning taken_at, inverter_kw::text, meter_kwh::text, first_kwh::text
    """
  }

  /// Returns the query for the newest samples before a time, or of all times if it is nil.
  static func list(company: UUID, site: UUID, before: Instant?, limit: Int) -> SQL {
    """
    select s.taken_at, s.inverter_kw::text, s.meter_kwh::text, s.first_kwh::text
    from solar.sample s
    where s.company_id = \(company) and s.site_id = \(site)
      and (\(nullable: before)::timestamptz is null or s.taken_at < \(nullable: before)::timestamptz)
    order by s.taken_at desc
    limit \(limit)
    """
  }
}

/// A stored sample.
package struct SampleRow: RowDecodable, Sendable {
  /// Time of the measurement.
  package let takenAt: Instant
  /// Power in kW; nil if not measured.
  package let inverterKW: String?
  /// Meter reading in kWh; nil if not measured.
  package let meterKWh: String?
  /// First reading of a new counter, if the counter was reset or replaced before the sample; nil otherwise.
  package let firstKWh: String?

  package init(row: inout RowReader) throws(PostgresError) {
    takenAt = try row.next()
    inverterKW = try row.next()
    meterKWh = try row.next()
    firstKWh = try row.next()
  }
}
