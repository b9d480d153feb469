package import Domain
package import Postgres

extension ZoneOffsets {
  /// Reads a zone's offsets from PostgreSQL's time zone database, beginning 48 hours before `from`.
  ///
  /// - Parameters:
  ///   - from: the first moment of interest.
  ///   - days: the number of days to read, counted from 48 hours before `from`.
  package static func read(_ zone: String, from: Instant, days: Int, _ tx: Transaction) throws
    -> ZoneOffsets
  {
    let rows = try tx.rows(
      """
      with stretch as (
        select date_trunc('hour', \(from)::timestamptz) - interval '48 hours' as start,
          core.known_zone(\(zone)) as zone
      ), day as (
        select d as start, d + interval '24 hours' as stop, s.zone
        from stretch s
        cross join lateral
          generate_series(s.start, s.start + interval '24 hours' * \(Int32(clamping: days)), interval '24 hours') d
      )
      select s.start, extract(epoch from (s.start at time zone s.zone) - (s.start at time zone 'UTC'))::int8
      from stretch s
      union all
      select c.at, c.after
      from day d
      cross join lateral (
        select m as at,
          extract(epoch from (m at time zone d.zone) - (m at time zone 'UTC'))::int8 as after,
          extract(epoch from ((m - interval '1 minute') at time zone d.zone)
            - ((m - interval '1 minute') at time zone 'UTC'))::int8 as before
        from generate_series(d.start + interval '1 minute', d.stop, interval '1 minute') m
      ) c
      where (d.start at time zone d.zone) - (d.start at time zone 'UTC')
          <> (d.stop at time zone d.zone) - (d.stop at time zone 'UTC')
        and c.after <> c.before
      order by 1
      """,
      Instant.self,
      Int64.self
    )
    let periods = rows.map { Period(start: $0.0, offset: $0.1) }
    let start = periods.first?.start ?? Instant(seconds: 0)
    return ZoneOffsets(periods, end: start.advanced(byMicroseconds: Int64(days) * 86_400_000_000) ?? start)
  }
}
