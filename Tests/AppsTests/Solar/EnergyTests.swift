import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct EnergyTests {
  @Test func `a day is the sum of the counter's steps`() async throws {
    let roof = try await Roof.open()
    try await roof.measure([
      ("2026-03-01T06:00:00Z", "100"), ("2026-03-01T12:00:00Z", "104.5"), ("2026-03-01T18:00:00Z", "108.25"),
      ("2026-03-02T12:00:00Z", "110"),
    ])
    #expect(
      try await roof.days("2026-03-01", "2026-03-02") == ["2026-03-01": "8.250", "2026-03-02": "1.750"]
    )
    #expect(try await roof.viewed() == ["2026-03-01": "8.250", "2026-03-02": "1.750"])
  }

  @Test func `a page of days needs only the sample before them`() async throws {
    let roof = try await Roof.open()
    try await roof.measure([
      ("2026-03-01T06:00:00Z", "100"), ("2026-03-02T23:00:00Z", "130"), ("2026-03-03T12:00:00Z", "131"),
    ])
    #expect(try await roof.days("2026-03-03", "2026-03-03") == ["2026-03-03": "1.000"])
    #expect(try await roof.days("2026-03-04", "2026-03-09").isEmpty)
  }

  @Test func `a counter that falls and counts on is a new one, and no day is below zero`() async throws {
    let roof = try await Roof.open()
    try await roof.measure([
      ("2026-03-01T06:00:00Z", "99990"), ("2026-03-01T10:00:00Z", "99995"), ("2026-03-01T11:00:00Z", "2"),
      ("2026-03-01T12:00:00Z", "3.5"), ("2026-03-01T13:00:00Z", "4.5"), ("2026-03-02T12:00:00Z", "0"),
    ])
    let expected = ["2026-03-01": "7.500", "2026-03-02": "0.000"]
    #expect(try await roof.days("2026-03-01", "2026-03-02") == expected)
    #expect(try await roof.viewed() == expected)
  }

  @Test func `a silence of twenty-six hours is flagged, and can be shared out to the last watt-hour`()
    async throws
  {
    let roof = try await Roof.open()
    try await roof.measure([
      ("2026-03-01T10:00:00Z", "10"), ("2026-03-01T21:00:00Z", "12"), ("2026-03-02T23:00:00Z", "22"),
    ])
    #expect(
      try await roof.days("2026-03-01", "2026-03-02") == ["2026-03-01": "2.000", "2026-03-02": "10.000"]
    )
    // Three of the twenty-six hours were on the first day.
    let spread = try await roof.days("2026-03-01", "2026-03-02", spread: true)
    #expect(spread == ["2026-03-01": "3.154", "2026-03-02": "8.846"])
    #expect(try await roof.days("2026-03-01", "2026-03-01", spread: true) == ["2026-03-01": "3.154"])
    let days = try await roof.energy.daily(
      roof.shop.acting("user"),
      site: roof.site,
      from: LocalDate(parsing: "2026-03-01"),
      through: LocalDate(parsing: "2026-03-02")
    )
    #expect(days.map(\.longestGapSeconds) == [39_600, 93_600])
    #expect(days.map(\.endsGap) == [true, true])
  }

  @Test(arguments: [("2026-03-29", 23), ("2026-10-25", 25)])
  func `a day on which the clocks change has the hours it had`(day: String, hours: Int) async throws {
    let roof = try await Roof.open(zone: "Europe/Stockholm")
    // One kWh per hour, measured hourly for three days around the change.
    let noon = try Instant(parsing: "\(day)T12:00:00Z")
    try await roof.measure(
      (0..<73).map { hour in
        let moment = Instant(seconds: noon.microseconds / 1_000_000 + Int64(hour - 36) * 3_600)
        return (moment.rfc3339, "\(1_000 + hour)")
      }
    )
    #expect(try await roof.days(day, day) == [day: "\(hours).000"])
    #expect(try await roof.viewed()[day] == "\(hours).000")
    let shown = try await roof.energy.hours(
      roof.shop.acting("user"),
      site: nil,
      on: LocalDate(parsing: day)
    ).hours
    #expect(shown.map(\.kwh) == Array(repeating: "1.000", count: hours))
    #expect(shown.first?.localTime == "00:00" && shown.last?.localTime == "23:00")
    // The hour that is left out, and the one that comes twice.
    #expect(shown.count { $0.localTime == "02:00" } == (hours == 23 ? 0 : 2))
    #expect(Set(shown.map(\.offset)) == ["+01:00", "+02:00"])
  }

  @Test func `energy between two readings is divided among their hours by time`() async throws {
    let roof = try await Roof.open(zone: "UTC")
    try await roof.measure([
      ("2026-03-01T09:30:00Z", "100"), ("2026-03-01T12:00:00Z", "105"), ("2026-03-01T12:15:00Z", "106"),
    ])
    let found = try await roof.energy.hours(
      roof.shop.acting("user"),
      site: "\(roof.site)",
      on: LocalDate(parsing: "2026-03-01")
    )
    #expect(found.hours.count == 24)
    let counted = found.hours.filter { $0.kwh != nil }
    #expect(counted.map(\.localTime) == ["09:00", "10:00", "11:00", "12:00"])
    #expect(counted.compactMap(\.kwh) == ["1.000", "2.000", "2.000", "1.000"])
  }

  @Test func `the days of a site at +05:45 are its own`() async throws {
    let roof = try await Roof.open(zone: "Asia/Kathmandu")
    try await roof.measure([
      ("2026-03-01T18:14:00Z", "10"),  // 23:59 on the first day
      ("2026-03-01T18:15:00Z", "11"),  // midnight
      ("2026-03-02T18:14:59Z", "15"),  // the last second of the second day
      ("2026-03-02T18:15:00Z", "16"),
    ])
    let expected = ["2026-03-01": "0.000", "2026-03-02": "5.000", "2026-03-03": "1.000"]
    #expect(try await roof.days("2026-03-01", "2026-03-03") == expected)
    #expect(try await roof.viewed() == expected)
  }

  @Test func `a wrong sample that is replaced or taken away leaves right days and a line in the audit`()
    async throws
  {
    let roof = try await Roof.open()
    try await roof.measure([
      ("2026-03-01T06:00:00Z", "100"), ("2026-03-01T07:00:00Z", "999999"), ("2026-03-01T08:00:00Z", "102"),
    ])
    let wrong = try await roof.days("2026-03-01", "2026-03-01")
    #expect(wrong["2026-03-01"] == "2.000", "a reading above what the site can make does not count")
    let admin = roof.shop.acting("admin")
    let moment = try Instant(parsing: "2026-03-01T07:00:00Z")
    let right = try SampleCorrection(takenAt: moment, meterKWh: .replaced(ExactDecimal(parsing: "101")))
    let (old, new) = try await roof.samples.correct(admin, site: roof.site, right)
    #expect(old?.meterKWh == "999999.000" && new.meterKWh?.text == "101")
    #expect(try await roof.days("2026-03-01", "2026-03-01") == ["2026-03-01": "2.000"])
    #expect(try await roof.samples.remove(admin, site: roof.site, from: moment, through: moment) == 1)
    #expect(try await roof.days("2026-03-01", "2026-03-01") == ["2026-03-01": "2.000"])
    let actions = try await roof.shop.engine.superuser.rows(
      "select a.action from core.audit a where a.company_id = \(roof.shop.company.id) and a.action like 'solar.%' order by a.at, a.id",
      String.self
    )
    #expect(actions == ["solar.sample.replaced", "solar.sample.removed"])
    let error = try await refused {
      _ = try await roof.samples.correct(roof.shop.acting("user"), site: roof.site, right)
    }
    #expect(error.code == .forbidden)
  }
}
