import Apps
import Domain
import EngineFixtures
import Testing

/// Times of exports without an offset, in a zone whose clocks change.
@Suite struct SiteClockTests {
  @Test(arguments: [
    ("2026-06-10T10:00:00Z", "2026-06-10T10:00:00Z"), ("2026-06-10 10:00:00+01:00", "2026-06-10T09:00:00Z"),
    ("2026-06-10T12:00:00", "2026-06-10T10:00:00Z"), ("2026-06-10 12:00", "2026-06-10T10:00:00Z"),
    ("2026-06-10 12:00:07.25", "2026-06-10T10:00:07.25Z"), ("2026-01-10 12:00", "2026-01-10T11:00:00Z"),
    ("2026-03-29 01:59:59", "2026-03-29T00:59:59Z"), ("2026-03-29 03:00", "2026-03-29T01:00:00Z"),
    ("2026-10-25 03:00", "2026-10-25T02:00:00Z"), ("2026-10-25 01:59", "2026-10-24T23:59:00Z"),
  ])
  func `a time without an offset is the site's`(text: String, instant: String) throws {
    var clock = try Self.clock()
    #expect(try clock.instant(text).rfc3339 == instant)
  }

  @Test(arguments: [
    "2026-03-29 02:00", "2026-03-29T02:59:59", "yesterday", "2026-06-10", "10.06.2026 12:00",
    "2026-06-10 24:00",
    "2026-06-10 12:00 ", "1999-06-10 12:00", "2031-06-10 12:00",
  ])
  func `a time that the clocks skipped, or that cannot be read, is refused`(text: String) throws {
    let error = #expect(throws: DomainError.self) {
      var clock = try Self.clock()
      _ = try clock.instant(text)
    }
    #expect(error?.code == .badTimestamp)
  }

  @Test func `an hour that the clocks showed twice goes on in the order of the file`() throws {
    let texts = [
      "2026-10-25 01:30", "2026-10-25 02:00", "2026-10-25 02:30", "2026-10-25 02:00", "2026-10-25 02:30",
      "2026-10-25 03:00",
    ]
    let instants = [
      "2026-10-24T23:30:00Z", "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z",
      "2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z",
    ]
    var ascending = try Self.clock()
    #expect(try texts.map { try ascending.instant($0).rfc3339 } == instants)
    var descending = try Self.clock()
    _ = try descending.instant("2026-10-25 03:30")
    #expect(try texts.reversed().map { try descending.instant($0).rfc3339 } == instants.reversed())
  }

  @Test func `an hour that the clocks showed twice is not guessed at the beginning of a file`() throws {
    var clock = try Self.clock()
    for text in ["2026-10-25 02:00", "2026-10-25 02:30"] {
      do {
        _ = try clock.instant(text)
        Issue.record("\(text) was guessed")
      } catch {
        #expect(error.code == .badTimestamp && error.message.contains("offset from UTC"))
      }
    }
    #expect(try clock.instant("2026-10-25 03:00").rfc3339 == "2026-10-25T02:00:00Z")
  }

  @Test(arguments: [
    ("2026-10-25T00:31:00Z", "2026-10-25T00:30:00Z"), ("2026-10-25T01:31:00Z", "2026-10-25T01:30:00Z"),
    ("2026-10-25T00:29:00Z", "2026-10-25T00:30:00Z"), ("2026-10-25T01:29:00Z", "2026-10-25T01:30:00Z"),
  ])
  func `an answer of that hour is of now`(now: String, instant: String) throws {
    let found = try Self.clock().instant("2026-10-25 02:30", nearest: Instant(parsing: now))
    #expect(found.rfc3339 == instant)
  }

  /// The clock of a site in Stockholm in the years 2000 to 2030, with the changes of 2026 only.
  private static func clock() throws -> SiteClock {
    let periods = try [
      ("2000-01-01T00:00:00Z", 3_600), ("2026-03-29T01:00:00Z", 7_200), ("2026-10-25T01:00:00Z", 3_600),
    ].map { ZoneOffsets.Period(start: try Instant(parsing: $0.0), offset: $0.1) }
    return SiteClock(
      zone: "Europe/Stockholm",
      offsets: ZoneOffsets(periods, end: try Instant(parsing: "2031-01-01T00:00:00Z"))
    )
  }
}
