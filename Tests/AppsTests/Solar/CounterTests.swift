import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// What a counter has counted: dips, spikes, resets and replaced meters, in every place that shows energy.
@Suite(.timeLimit(.minutes(60))) struct CounterTests {
  struct Series: Sendable, CustomTestStringConvertible {
    let name: String
    /// Readings five minutes apart; nil for a sample with power only. A mark follows after `!`.
    let readings: [String?]
    let kwh: String
    var uncounted = 0
    var leftOut = "0"
    var capacity: String?
    var testDescription: String { name }
  }

  private static let all = [
    Series(
      name: "a dip of a tenth",
      readings: ["215.5", "215.6", "215.7", "215.6", "215.7", "215.8"],
      kwh: "0.300",
      uncounted: 1
    ),
    Series(
      name: "a dip of several",
      readings: ["10", "9", "9.1", "9.2", "9.3", "10.2"],
      kwh: "0.200",
      uncounted: 4
    ),
    Series(
      name: "a single zero",
      readings: ["100", "100.1", "0", "100.2", "100.3"],
      kwh: "0.300",
      uncounted: 1
    ),
    Series(
      name: "zeros",
      readings: ["100", "100.1", "0", "0", "0", "0", "100.2"],
      kwh: "0.200",
      uncounted: 4
    ),
    Series(
      name: "zeros that end the data",
      readings: ["100", "100.1", "0", "0"],
      kwh: "0.100",
      uncounted: 2
    ),
    Series(
      name: "a fall that ends the data",
      readings: ["100", "101", "0.1", "0.4"],
      kwh: "1.000",
      uncounted: 2
    ),
    Series(
      name: "a fall that is confirmed",
      readings: ["100", "101", "0.1", "0.4", "0.9", "1.1"],
      kwh: "2.000"
    ),
    Series(
      name: "a new counter far from zero",
      readings: ["900", "901", "350", "350.5", "351"],
      kwh: "2.000"
    ),
    Series(name: "an overflow", readings: ["99999.8", "99999.9", "0.1", "0.3", "0.5"], kwh: "0.500"),
    Series(name: "two falls", readings: ["50", "51", "3", "4", "5", "1", "2", "3"], kwh: "5.000"),
    Series(name: "a swap upwards", readings: ["100", "25000", "25000.3"], kwh: "0.300", leftOut: "24900"),
    Series(name: "a swap upwards that is said", readings: ["100", "25000!25000", "25000.3"], kwh: "0.300"),
    Series(
      name: "a swap upwards that is confirmed",
      readings: ["100", "25000", "25000.3", "25000.7"],
      kwh: "0.700",
      leftOut: "24900"
    ),
    Series(
      name: "a spike",
      readings: ["100", "999999", "100.4"],
      kwh: "0.400",
      uncounted: 1,
      leftOut: "999899"
    ),
    Series(name: "a said reset", readings: ["100", "101", "2!2", "3"], kwh: "2.000"),
    Series(name: "a said reset from zero", readings: ["100", "101", "2!0", "3"], kwh: "4.000"),
    Series(
      name: "a said reset from zero above the capacity",
      readings: ["100", "100.2", "25000!0", "25000.3"],
      kwh: "0.500",
      leftOut: "25000",
      capacity: "9.8"
    ),
    Series(
      name: "a said reset that counts too much, of a site of unknown capacity",
      readings: ["100", "25000!100", "25000.3"],
      kwh: "0.300",
      leftOut: "24900"
    ),
    Series(name: "a said reset of the first sample", readings: ["2!0", "3"], kwh: "1.000"),
    Series(
      name: "samples without a reading",
      readings: ["100", nil, "100.2", nil, nil, "100.3"],
      kwh: "0.300"
    ),
    Series(name: "one sample", readings: ["100"], kwh: "0.000"),
    Series(
      name: "more than the capacity",
      readings: ["10.0", "10.4", "15.1", "15.3"],
      kwh: "0.600",
      leftOut: "4.7",
      capacity: "5"
    ),
    Series(
      name: "a dip that recovers",
      readings: ["5", "4.6", "4.7", "4.8", "5.0", "5.1"],
      kwh: "0.100",
      uncounted: 3
    ),
    Series(name: "rising garbage", readings: ["50", "0", "0.1", "0.2", "50.1"], kwh: "0.100", uncounted: 3),
    Series(
      name: "rising garbage above",
      readings: ["50", "5000", "5000.1", "5000.2", "50.1"],
      kwh: "0.100",
      uncounted: 3,
      leftOut: "4950"
    ),
    Series(
      name: "as much as the capacity",
      readings: ["10.00", "10.41", "10.82"],
      kwh: "0.820",
      capacity: "5"
    ),
    Series(
      name: "whole kilowatt-hours",
      readings: ["10", "10", "11", "11", "12"],
      kwh: "2.000",
      capacity: "5"
    ),
  ]

  @Test(arguments: all) func `a counter counts what it showed, in every place`(_ series: Series) async throws
  {
    let roof = try await Roof.open(capacity: series.capacity)
    let start = try Instant(parsing: "2026-06-10T10:00:00Z")
    let samples = try series.readings.enumerated().map { index, reading in
      let parts = reading?.split(separator: "!").map(String.init) ?? []
      return try SolarSample(
        takenAt: Instant(seconds: start.microseconds / 1_000_000 + Int64(index) * 300),
        inverterKW: ExactDecimal(parsing: "1.5"),
        meterKWh: try parts.first.map { text in try ExactDecimal(parsing: text) },
        firstKWh: try parts.dropFirst().first.map { text in try ExactDecimal(parsing: text) }
      )
    }
    // The order of arrival does not matter.
    for sample in samples.reversed() {
      _ = try await roof.samples.add(roof.shop.acting("service"), site: roof.site, [sample])
    }
    let day = try LocalDate(parsing: "2026-06-10")
    for spread in [false, true] {
      let days = try await roof.energy.daily(
        roof.shop.acting("viewer"),
        site: roof.site,
        from: day,
        through: day,
        spread: spread
      )
      #expect(days.map(\.kwh) == [series.kwh])
      #expect(days.map(\.uncounted) == [Int64(series.uncounted)])
      #expect(days.map(\.leftOutKWh) == [series.leftOut])
    }
    #expect(try await roof.viewed() == ["2026-06-10": series.kwh])
    let reported = try await roof.shop.report(
      "v1_solar_day",
      "kwh, uncounted, trim_scale(left_out_kwh)"
    )
    #expect(reported == ["\(series.kwh)|\(series.uncounted)|\(series.leftOut)"])
  }

  @Test func `a stored sample is said to be the first of a new counter`() async throws {
    let roof = try await Roof.open()
    try await roof.measure([
      ("2026-06-10T10:00:00Z", "100"), ("2026-06-10T10:05:00Z", "25000"), ("2026-06-10T10:10:00Z", "25000.3"),
    ])
    #expect(try await roof.days("2026-06-10", "2026-06-10") == ["2026-06-10": "0.300"])
    let moment = try Instant(parsing: "2026-06-10T10:05:00Z")
    let (admin, samples, site) = (roof.shop.acting("admin"), roof.samples, roof.site)
    #expect(try await samples.mark(admin, site: site, at: moment, first: nil) == "25000.000")
    #expect(try await roof.days("2026-06-10", "2026-06-10") == ["2026-06-10": "0.300"])
    _ = try await samples.mark(admin, site: site, at: moment, first: ExactDecimal(parsing: "24999"))
    #expect(try await roof.days("2026-06-10", "2026-06-10") == ["2026-06-10": "1.300"])
    // A correction keeps the mark, unless it is taken back.
    let right = try SampleCorrection(
      takenAt: moment,
      meterKWh: .replaced(ExactDecimal(parsing: "25000.1"))
    )
    _ = try await samples.correct(admin, site: site, right)
    #expect(try await roof.days("2026-06-10", "2026-06-10") == ["2026-06-10": "1.300"])
    _ = try await samples.correct(admin, site: site, SampleCorrection(takenAt: moment, mark: .removed))
    #expect(try await roof.days("2026-06-10", "2026-06-10") == ["2026-06-10": "0.200"])
    let above = try await refused {
      _ = try await samples.mark(admin, site: site, at: moment, first: ExactDecimal(parsing: "30000"))
    }
    #expect(above.code == .invalidNumber)
    let missing = try await refused {
      _ = try await samples.mark(admin, site: site, at: Instant(seconds: 0), first: nil)
    }
    #expect(missing.code == .notFound)
    let user = try await refused {
      _ = try await samples.mark(roof.shop.acting("user"), site: site, at: moment, first: nil)
    }
    #expect(user.code == .forbidden)
  }

  @Test func `a large site of unknown capacity counts what its greatest power allows, in every place`()
    async throws
  {
    let roof = try await Roof.open()
    // Meter readings of a site of 300 kW every 15 minutes, and its power in samples of their own.
    let start = try Instant(parsing: "2026-06-10T22:00:00Z").microseconds / 1_000_000
    let samples = try (0...16).flatMap { quarter -> [SolarSample] in
      let second = start + Int64(quarter) * 900
      return [
        try SolarSample(
          takenAt: Instant(seconds: second),
          inverterKW: nil,
          meterKWh: ExactDecimal(parsing: "\(1_000 + quarter * 70)")
        ),
        try SolarSample(
          takenAt: Instant(seconds: second + 20),
          inverterKW: ExactDecimal(parsing: quarter == 9 ? "300" : "95"),
          meterKWh: nil
        ),
      ]
    }
    _ = try await roof.samples.add(roof.shop.acting("service"), site: roof.site, samples)
    let (first, second) = (try LocalDate(parsing: "2026-06-10"), try LocalDate(parsing: "2026-06-11"))
    let user = roof.shop.acting("user")
    for spread in [false, true] {
      // Also a page of one day, which begins in the middle of the samples.
      for from in [first, second] {
        let days = try await roof.energy.daily(
          user,
          site: roof.site,
          from: from,
          through: second,
          spread: spread
        )
        let energy = spread ? ["560.000", "560.000"] : ["490.000", "630.000"]
        #expect(days.compactMap(\.kwh) == Array(energy.suffix(from == first ? 2 : 1)), "\(from) \(spread)")
        #expect(days.allSatisfy { $0.isWhole }, "\(from) \(spread)")
      }
    }
    #expect(try await roof.viewed() == ["2026-06-10": "490.000", "2026-06-11": "630.000"])
    let reported = try await roof.shop.report("v1_solar_day", "local_date, kwh, trim_scale(left_out_kwh)")
    #expect(reported == ["2026-06-10|490.000|0", "2026-06-11|630.000|0"])
    let hours = try await roof.energy.hours(user, site: nil, on: second).hours
    #expect(hours.compactMap(\.kwh) == ["280.000", "280.000"])
  }

  @Test func `the peak of a day counts samples without a meter reading`() async throws {
    let roof = try await Roof.open()
    for (time, kw, kwh) in [("10:00", "1.0", "100"), ("10:05", "4.8", nil), ("10:15", "1.2", "100.6")]
      as [(String, String, String?)]
    {
      let sample = try SolarSample(
        takenAt: Instant(parsing: "2026-06-10T\(time):00Z"),
        inverterKW: ExactDecimal(parsing: kw),
        meterKWh: try kwh.map { text in try ExactDecimal(parsing: text) }
      )
      _ = try await roof.samples.add(roof.shop.acting("service"), site: roof.site, [sample])
    }
    let day = try LocalDate(parsing: "2026-06-10")
    let days = try await roof.energy.daily(roof.shop.acting("user"), site: roof.site, from: day, through: day)
    #expect(days.map(\.peakKW) == ["4.800"] && days.map(\.kwh) == ["0.600"])
    let reported = try await roof.shop.report("v1_solar_day", "peak_kw, samples")
    #expect(reported == ["4.800|2"])
  }

  @Test func `a dip across midnight counts on the day on which it ends, and spread on both`() async throws {
    let roof = try await Roof.open()
    try await roof.measure([
      ("2026-06-10T20:00:00Z", "100"), ("2026-06-10T22:00:00Z", "101"), ("2026-06-10T23:00:00Z", "0"),
      ("2026-06-11T01:00:00Z", "0"), ("2026-06-11T02:00:00Z", "103"),
    ])
    let days = try await roof.days("2026-06-10", "2026-06-11")
    #expect(days == ["2026-06-10": "1.000", "2026-06-11": "2.000"])
    #expect(try await roof.viewed() == days)
    // A page of one day reads what its neighbours decide.
    #expect(try await roof.days("2026-06-11", "2026-06-11") == ["2026-06-11": "2.000"])
    let spread = try await roof.days("2026-06-10", "2026-06-11", spread: true)
    #expect(spread == ["2026-06-10": "2.000", "2026-06-11": "1.000"])
    #expect(try await roof.days("2026-06-10", "2026-06-10", spread: true) == ["2026-06-10": "2.000"])
  }

  @Test func `a page of days is the same as all days, for counters with every fault`() async throws {
    for seed in 1...12 {
      let roof = try await Roof.open(zone: "Europe/Stockholm", capacity: seed % 2 == 0 ? "10" : nil)
      let (company, site) = (roof.shop.company.id, roof.site)
      try await roof.shop.engine.superuser.transaction { tx in
        _ = try tx.value("select setseed(\(Double(seed) / 100))::text", as: String?.self)
        // Half-hourly samples around a clock change: production by day, gaps, dips, spikes, zeros and new counters.
        try tx.execute(
          """
          insert into solar.sample (company_id, site_id, taken_at, meter_kwh, first_kwh)
          select \(company), \(site), x.at,
            case
              when x.fault < 0.02 then 0
              when x.fault < 0.04 then greatest(0, x.shown - 0.1)
              when x.fault < 0.05 then x.shown * 100
              else x.shown
            end,
            case when x.is_said and x.fault >= 0.05 then x.shown end
          from (
            select r.at, r.fault, r.is_said,
              greatest(0, sum(r.made) over (order by r.at) + case when r.counter % 2 = 0 then 1000 else 3 end) as shown
            from (
              select q.at, random() as fault, q.renews and random() < 0.5 as is_said,
                count(*) filter (where q.renews) over (order by q.at) as counter,
                case when extract(hour from q.at) between 7 and 15 then round((random() * 2)::numeric, 1) else 0 end
                  as made
              from (
                select '2026-03-25Z'::timestamptz + interval '30 minutes' * g as at, random() < 0.01 as renews
                from generate_series(0, 480) g
                where random() > 0.02
              ) q
            ) r
          ) x
          """
        )
      }
      let differing = try await roof.shop.engine.superuser.rows(
        """
        select d.local_date::text
        from solar.v_daily d
        left join lateral solar.daily(d.company_id, d.site_id, d.local_date, d.local_date) p on true
        where d.company_id = \(company)
          and (d.kwh, d.uncounted, d.left_out_kwh, d.longest_gap)
            is distinct from (p.kwh, p.uncounted, p.left_out_kwh, p.longest_gap)
        """,
        String.self
      )
      #expect(differing.isEmpty, "seed \(seed)")
      let sums = try await roof.shop.engine.superuser.rows(
        """
        select sum(d.kwh)::text, min(d.kwh) >= 0,
          (select sum(p.kwh) = sum(d.kwh) from solar.daily(\(company), \(site), '2026-03-20', '2026-04-20', true) p)
        from solar.v_daily d
        where d.company_id = \(company)
        """,
        String.self,
        Bool.self,
        Bool.self
      )
      #expect(sums.allSatisfy { $0.1 && $0.2 }, "seed \(seed)")
    }
  }
}
