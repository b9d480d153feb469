import TestTools
import Testing

@testable import Domain

@Suite struct WorkedHoursTests {
  /// A row of the table: the timesheet, both ends as instants (computed by hand), and the hours.
  struct Line: Sendable, CustomTestStringConvertible {
    let date: String
    let start: String
    let end: String
    var lunch = false
    let from: String
    let to: String
    let hours: String
    var testDescription: String { "\(date) \(start)-\(end)\(lunch ? " lunch" : "")" }
  }

  @Test(arguments: [
    // Stockholm in winter is at +01:00.
    Line(
      date: "2026-02-03",
      start: "08:00",
      end: "16:30",
      lunch: true,
      from: "2026-02-03T07:00:00Z",
      to: "2026-02-03T15:30:00Z",
      hours: "8.00"
    ),
    Line(
      date: "2026-02-03",
      start: "08:00",
      end: "08:20",
      lunch: true,
      from: "2026-02-03T07:00:00Z",
      to: "2026-02-03T07:20:00Z",
      hours: "0.00"
    ),
    Line(
      date: "2026-02-03",
      start: "22:00",
      end: "06:00",
      from: "2026-02-03T21:00:00Z",
      to: "2026-02-04T05:00:00Z",
      hours: "8.00"
    ),
    // The clocks go forward on 29 March 2026 at 02:00: the night is an hour shorter.
    Line(
      date: "2026-03-28",
      start: "22:00",
      end: "06:00",
      from: "2026-03-28T21:00:00Z",
      to: "2026-03-29T04:00:00Z",
      hours: "7.00"
    ),
    // The clocks go back on 25 October 2026 at 03:00: the night is an hour longer.
    Line(
      date: "2026-10-24",
      start: "22:00",
      end: "06:00",
      from: "2026-10-24T20:00:00Z",
      to: "2026-10-25T05:00:00Z",
      hours: "9.00"
    ),
    Line(
      date: "2026-02-03",
      start: "08:00",
      end: "08:10",
      from: "2026-02-03T07:00:00Z",
      to: "2026-02-03T07:10:00Z",
      hours: "0.17"
    ),
    Line(
      date: "2026-02-03",
      start: "06:00",
      end: "22:00",
      from: "2026-02-03T05:00:00Z",
      to: "2026-02-03T21:00:00Z",
      hours: "16.00"
    ),
    Line(
      date: "2026-02-03",
      start: "06:00",
      end: "22:30",
      lunch: true,
      from: "2026-02-03T05:00:00Z",
      to: "2026-02-03T21:30:00Z",
      hours: "16.00"
    ),
  ])
  func `hours are what really passed, less lunch, never negative`(line: Line) throws {
    let sheet = try WorkedHours(
      on: LocalDate(parsing: line.date),
      from: LocalTime(parsing: line.start),
      to: LocalTime(parsing: line.end),
      hasLunch: line.lunch
    )
    let hours = try sheet.hours(from: Instant(parsing: line.from), to: Instant(parsing: line.to))
    #expect(hours.description == line.hours)
  }

  @Test func `an end before the start is the next day`() throws {
    let sheet = try WorkedHours(
      on: LocalDate(parsing: "2026-12-31"),
      from: LocalTime(parsing: "22:00"),
      to: LocalTime(parsing: "06:00")
    )
    #expect(sheet.endsNextDay)
    #expect(sheet.endDate.description == "2027-01-01")
  }

  @Test func `equal times are refused`() throws {
    let (date, time) = (try LocalDate(parsing: "2026-02-03"), try LocalTime(parsing: "08:00"))
    #expect(refusal { _ = try WorkedHours(on: date, from: time, to: time) }?.code == .equalTimes)
  }

  @Test(arguments: [
    ("16:30", "15:00", "2026-02-03T15:30:00Z", "2026-02-04T14:00:00Z", "22.50"),
    ("06:00", "22:01", "2026-02-03T05:00:00Z", "2026-02-03T21:01:00Z", "16.02"),
  ])
  func `more than sixteen hours are a typing error`(
    start: String,
    end: String,
    from: String,
    to: String,
    hours: String
  )
    throws
  {
    let sheet = try WorkedHours(
      on: LocalDate(parsing: "2026-02-03"),
      from: LocalTime(parsing: start),
      to: LocalTime(parsing: end)
    )
    let error = try #require(
      refusal { _ = try sheet.hours(from: Instant(parsing: from), to: Instant(parsing: to)) }
    )
    #expect(error.code == .over16Hours)
    #expect(error.details["hours"]?.string == hours)
  }

  @Test func `times that the change of clocks turned around are refused`() throws {
    // 02:30 does not exist on that day and resolves to 03:30 summer time, after 03:00.
    let sheet = try WorkedHours(
      on: LocalDate(parsing: "2026-03-29"),
      from: LocalTime(parsing: "02:30"),
      to: LocalTime(parsing: "03:00")
    )
    let error = refusal {
      _ = try sheet.hours(
        from: Instant(parsing: "2026-03-29T01:30:00Z"),
        to: Instant(parsing: "2026-03-29T01:00:00Z")
      )
    }
    #expect(error?.code == .invalidTime)
  }

  @Test(arguments: Seed.several)
  func `hours are never negative and never more than passed`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    for _ in 0..<50 {
      let start = try #require(
        LocalTime(
          hour: .random(in: 0...23, using: &generator),
          minute: .random(in: 0...59, using: &generator)
        )
      )
      let end = try #require(
        LocalTime(
          hour: .random(in: 0...23, using: &generator),
          minute: .random(in: 0...59, using: &generator)
        )
      )
      guard start != end else { continue }
      let lunch = Bool.random(using: &generator)
      let sheet = try WorkedHours(
        on: LocalDate(daysSince1970: 20_000),
        from: start,
        to: end,
        hasLunch: lunch
      )
      let minutes = end.minutes - start.minutes + (sheet.endsNextDay ? 1440 : 0)
      let from = Instant(seconds: 20_000 * 86_400 + Int64(start.minutes) * 60)
      let to = Instant(seconds: 20_000 * 86_400 + Int64(start.minutes + minutes) * 60)
      do {
        let hours = try sheet.hours(from: from, to: to)
        #expect(hours >= .zero && hours <= WorkedHours.longest)
        let exact = Double(max(0, minutes - (lunch ? 30 : 0))) / 60
        #expect(abs(Double(hours.hundredths) / 100 - exact) < 0.0051)
      } catch {
        #expect(error.code == .over16Hours)
        #expect(minutes - (lunch ? 30 : 0) > 960)
      }
    }
  }
}
