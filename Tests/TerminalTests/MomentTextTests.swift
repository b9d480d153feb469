import Testing

@testable import Terminal

@Suite struct MomentTextTests {
  @Test(arguments: [
    ("Europe/Stockholm", "2026-03-29T00:59:59Z", "2026-03-29 01:59:59+01"),
    ("Europe/Stockholm", "2026-03-29T01:00:00.123456Z", "2026-03-29 03:00:00+02"),
    ("Europe/Stockholm", "2026-10-25T00:59:59+00:00", "2026-10-25 02:59:59+02"),
    ("Europe/Stockholm", "2026-10-25T03:00:00+02:00", "2026-10-25 02:00:00+01"),
    ("Asia/Kathmandu", "2026-03-28T21:00:00Z", "2026-03-29 02:45:00+05:45"),
    ("America/St_Johns", "2026-01-01T00:00:00Z", "2025-12-31 20:30:00-03:30"),
    ("Europe/Dublin", "2026-01-15T12:00:00Z", "2026-01-15 12:00:00+00"),
    ("Australia/Sydney", "2024-02-29T13:30:00Z", "2024-03-01 00:30:00+11"),
    // Beyond the transitions of the file: by its rule.
    ("Europe/Stockholm", "2060-07-01T12:00:00Z", "2060-07-01 14:00:00+02"),
    ("Australia/Sydney", "2060-01-01T12:00:00Z", "2060-01-01 23:00:00+11"),
    ("Europe/Dublin", "2060-07-01T12:00:00Z", "2060-07-01 13:00:00+01"),
    // Before the first transition: the local mean time.
    ("Europe/Stockholm", "1850-01-01T00:00:00Z", "1850-01-01 01:12:12+01:12"),
  ])
  func `a moment is shown by the clock of a zone`(zone: String, moment: String, expected: String) throws {
    let clock = try #require(ZoneClock.load(zone))
    #expect(MomentText.text(moment, by: clock) == expected)
  }

  @Test func `without a clock a moment is shown in UTC`() {
    #expect(MomentText.text("2026-03-28T21:00:00.5Z", by: nil) == "2026-03-28 21:00:00Z")
    #expect(MomentText.text("2026-03-28T21:00:00+01:00", by: nil) == "2026-03-28 20:00:00Z")
  }

  @Test(arguments: ["infinity", "", "2026-03-28", "2026-03-28T21:00:00", "2026-03-28X21:00:00Z", "soon"])
  func `text that is no moment stays as it is`(text: String) {
    #expect(MomentText.text(text, by: ZoneClock.load("Europe/Stockholm")) == text)
  }

  @Test(arguments: ["", "../../etc/passwd", "/etc/passwd", "Europe/..", "Nowhere/Land"])
  func `a name that is no zone has no clock`(name: String) {
    #expect(ZoneClock.load(name) == nil)
  }

  @Test func `a file that is cut short has no clock`() throws {
    let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 30)
    #expect(ZoneClock(name: "x", bytes: header) == nil)
    #expect(ZoneClock(name: "x", bytes: []) == nil)
  }

  @Test(arguments: [
    ("UTC0", 0, 0), ("<+0545>-5:45", 20_700, 20_700), ("EST5EDT,M3.2.0,M11.1.0", -18_000, -14_400),
    ("CET-1CEST,J90,J300", 3_600, 7_200), ("<-03>3", -10_800, -10_800),
  ])
  func `a rule knows winter and summer`(text: String, winter: Int, summer: Int) throws {
    let rule = try #require(ZoneRule(text))
    // 15 January and 15 July 2060.
    #expect(rule.offset(at: 2_841_868_800) == winter)
    #expect(rule.offset(at: 2_857_593_600) == summer)
  }

  @Test(arguments: ["", "5", "EST", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0"])
  func `an invalid rule is refused`(text: String) {
    #expect(ZoneRule(text) == nil)
  }

  @Test func `a table shows moments by the screen's clock and programs get UTC`() {
    var screen = Screen.pipe
    screen.clock = ZoneClock.load("Europe/Stockholm")
    let text = OutputFormat.table.render(Fixtures.orders, on: screen)
    #expect(text.contains("2026-03-28 22:00:00+01"))
    #expect(OutputFormat.csv.render(Fixtures.orders, on: screen).contains("2026-03-28T21:00:00.25Z"))
    let detail = OutputFormat.table.renderRecord(Fixtures.columns, Fixtures.orders.rows[0], on: screen)
    #expect(detail.contains("Reported:  2026-03-28 22:00:00+01\n"))
  }
}
