internal import Apps
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The power curve of a generated solar site.
enum SolarCurve {
  /// Writes the samples of a period, computed in the database: a bell curve by day with random clouds, zero
  /// at night, and a meter that adds up the energy.
  ///
  /// - Parameter isWhole: true to omit the three counter resets and five gaps of a realistic curve.
  /// - Returns: number of new samples.
  static func samples(
    of site: UUID,
    company: UUID,
    capacity: Double,
    zone: String,
    from: Instant,
    to: Instant,
    seconds: Int,
    isWhole: Bool,
    _ tx: Transaction
  ) throws -> Int {
    let total = Int((to.microseconds - from.microseconds) / 1_000_000) / seconds
    guard total > 0 else { return 0 }
    let resets = isWhole ? [] : [total / 5, total / 2, total * 4 / 5]
    let gaps = isWhole ? [] : gaps(total: total, seconds: seconds)
    return try tx.execute(
      """
      insert into solar.sample (company_id, site_id, taken_at, inverter_kw, meter_kwh, received_at)
      select \(company), \(site), p.taken_at, p.kw,
        1000 * (p.part = 0)::integer + round(sum(p.kw * \(seconds) / 3600.0) over (partition by p.part order by p.n), 3),
        p.taken_at
      from (
        select s.n, s.taken_at,
          (select count(*) from unnest(\(resets)) r (n) where r.n <= s.n) as part,
          round((
            \(capacity) * greatest(0, sin(pi() * (s.hour - 6) / 12)) ^ 1.2
              * (0.55 + 0.45 * (abs(sin(s.n * 12.9898)) * 43758.5453 - floor(abs(sin(s.n * 12.9898)) * 43758.5453)))
          )::numeric, 3) as kw
        from (
          select g as n, \(from) + make_interval(secs => g * \(seconds)::double precision) as taken_at,
            extract(epoch from ((\(from) + make_interval(secs => g * \(seconds)::double precision))
              at time zone \(zone))::time)::double precision / 3600 as hour
          from generate_series(0, \(total - 1)) g
        ) s
        where not exists (
          select from unnest(\(gaps.map(\.start)), \(gaps.map(\.length))) x (n, length)
          where s.n between x.n and x.n + x.length
        )
      ) p
      on conflict (company_id, site_id, taken_at) do nothing
      """
    )
  }

  /// Returns five gaps of 1 to 72 hours, in samples. Gaps are longer in longer periods; of many days they
  /// cover less than a tenth.
  private static func gaps(total: Int, seconds: Int) -> [(start: Int, length: Int)] {
    let hour = max(1, 3600 / seconds)
    return [300, 150, 75, 40, 20].enumerated().map { place, part in
      ((place + 1) * total / 6, min(72 * hour, max(hour, total / part)))
    }
  }
}
