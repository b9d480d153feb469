internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A roof with an inverter and a meter: what they showed, and the readings that were kept.
struct DemoSolar {
  let context: DemoContext
  /// How many days of samples, and how many seconds apart.
  let days: Int
  let seconds: Int

  private var tenant: DemoTenant { context.tenant }

  /// - Returns: how many records, and how many samples, were not there before.
  func load() throws -> (records: Int, samples: Int) {
    guard tenant.counts.sites > 0 else { return (0, 0) }
    var random = context.random("solar")
    let capacity = Double(random.int(40...200)) / 10
    let site = context.id("solar.site", 0)
    var sites = try context.writer(
      "solar.site",
      ["name", "timezone", "capacity_kw", "source_kind", "poll_seconds"]
    )
    try sites.add(
      Seed(
        id: site,
        createdAt: context.moment(context.day(days + 30)),
        maker: tenant.members.first?.id,
        cells: ["Roof", tenant.timeZone, "\(capacity)", "push", "\(seconds)"]
      )
    )
    try sites.flush()
    let from = context.moment(context.day(days), minute: 0)
    let samples = try Self.samples(
      of: site,
      company: tenant.id,
      capacity: capacity,
      zone: tenant.timeZone,
      from: from,
      to: context.moment(context.today, minute: 0),
      seconds: seconds,
      isWhole: false,
      context.tx
    )
    let readings = try recordings(site, capacity, &random)
    return (sites.inserted + readings, samples)
  }

  /// Writes the curve of a stretch of time, computed where it is kept: a bell over the day with clouds before it,
  /// nothing at night, and a meter that adds it up.
  ///
  /// - Parameter isWhole: without the three counters that were set back and the five gaps of a real one.
  /// - Returns: how many samples were not there before.
  static func samples(
    of site: UUID,
    company: UUID,
    capacity: Double,
    zone: String,
    from: Timestamp,
    to: Timestamp,
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

  /// Five silences of 1 to 72 hours, the longer the more time there is; of many days they take less than a tenth.
  private static func gaps(total: Int, seconds: Int) -> [(start: Int, length: Int)] {
    let hour = max(1, 3600 / seconds)
    return [300, 150, 75, 40, 20].enumerated().map { place, part in
      ((place + 1) * total / 6, min(72 * hour, max(hour, total / part)))
    }
  }

  private func recordings(_ site: UUID, _ capacity: Double, _ random: inout DemoRandom) throws -> Int {
    let columns = [
      "site_id", "type", "quantity", "unit", "value", "taken_at", "push_attempts", "pushed_at", "utility_ref",
      "last_error",
    ]
    var writer = try context.writer("solar.recording", columns)
    let step = days * 24 * 60 / max(1, tenant.counts.recordings)
    for index in 0..<tenant.counts.recordings {
      let minute = index * max(1, step)
      let taken = context.moment(context.today, minute: -minute - 1)
      let type = random.pick([("auto", 0.5), ("auto_push", 0.3), ("manual", 0.2)] as [(String, Double)])
      let attempts =
        type == "auto_push" ? random.pick([(1, 0.92), (2, 0.06), (3, 0.02)] as [(Int, Double)]) : 0
      let isFailed = attempts == 3
      let isPushed = attempts > 0 && !isFailed
      let status = type != "auto_push" ? "uploaded" : isFailed ? "push_failed" : "pushed"
      let later = Timestamp(microseconds: taken.microseconds + 5_000_000)
      try writer.add(
        Seed(
          id: context.id("solar.recording", index),
          createdAt: taken,
          maker: random.pick(tenant.active).id,
          status: status,
          cells: [
            site.text, type, "power", "kW", "\((random.unit() * capacity * 1000).rounded() / 1000)",
            taken.description, "\(attempts)", isPushed ? later.description : nil,
            isPushed ? "REF-\(tenant.index + 1)-\(index + 1)" : nil, isFailed ? "500 from the utility" : nil,
          ]
        )
      )
    }
    try writer.flush()
    return writer.inserted
  }
}
