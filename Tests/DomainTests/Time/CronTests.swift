import Testing

@testable import Domain

/// Due times of cron expressions, across clock changes. Another test, which has a PostgreSQL, checks that it
/// gives these zones the offsets used here.
@Suite struct CronTests {
  struct Zone: Sendable {
    let offsets: ZoneOffsets

    /// - Parameter changes: RFC 3339 and the offset in minutes from then on.
    init(_ changes: (String, Int64)...) {
      offsets = ZoneOffsets(
        changes.map { .init(start: at($0.0), offset: $0.1 * 60) },
        end: at("2028-01-01T00:00:00Z")
      )
    }
  }

  static let stockholm = Zone(
    ("2025-12-01T00:00:00Z", 60),
    ("2026-03-29T01:00:00Z", 120),
    ("2026-10-25T01:00:00Z", 60),
    ("2027-03-28T01:00:00Z", 120),
    ("2027-10-31T01:00:00Z", 60)
  )
  static let newYork = Zone(
    ("2025-12-01T00:00:00Z", -300),
    ("2026-03-08T07:00:00Z", -240),
    ("2026-11-01T06:00:00Z", -300),
    ("2027-03-14T07:00:00Z", -240),
    ("2027-11-07T06:00:00Z", -300)
  )
  static let kathmandu = Zone(("2025-12-01T00:00:00Z", 345))

  struct Case: Sendable, CustomTestStringConvertible {
    let cron: String
    let zone: Zone
    let after: String
    let next: [String]

    var testDescription: String { "\(cron) after \(after)" }
  }

  static let cases = [
    // Daily at five, winter and summer.
    Case(
      cron: "0 5 * * *",
      zone: stockholm,
      after: "2026-03-27T12:00:00Z",
      next: ["2026-03-28T04:00:00Z", "2026-03-29T03:00:00Z", "2026-03-30T03:00:00Z"]
    ),
    // 02:30 is skipped on the 29th, so the job is due when the clocks jump to 03:00.
    Case(
      cron: "30 2 * * *",
      zone: stockholm,
      after: "2026-03-28T00:00:00Z",
      next: ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]
    ),
    // Several times in the skipped hour count once, as does the moment of the jump.
    Case(
      cron: "0,15,30 2,3 * * *",
      zone: stockholm,
      after: "2026-03-28T23:00:00Z",
      next: ["2026-03-29T01:00:00Z", "2026-03-29T01:15:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:00:00Z"]
    ),
    // 02:30 occurs twice on 25 October: the first one counts.
    Case(
      cron: "30 2 * * *",
      zone: stockholm,
      after: "2026-10-24T12:00:00Z",
      next: ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
    ),
    // Between the two occurrences, the day's run has already happened.
    Case(cron: "30 2 * * *", zone: stockholm, after: "2026-10-25T00:45:00Z", next: ["2026-10-26T01:30:00Z"]),
    // Hourly means each elapsed hour: the skipped one is not made up for, and the repeated one counts twice.
    Case(
      cron: "30 * * * *",
      zone: stockholm,
      after: "2026-03-29T00:00:00Z",
      next: ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z"]
    ),
    Case(
      cron: "0 */1 * * *",
      zone: stockholm,
      after: "2026-10-24T23:30:00Z",
      next: ["2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"]
    ),
    // Skips a day without any matching time, on which the clocks change, to the first time of the next.
    Case(
      cron: "0 * * * mon",
      zone: stockholm,
      after: "2026-03-28T23:00:00Z",
      next: ["2026-03-29T22:00:00Z", "2026-03-29T23:00:00Z"]
    ),
    Case(
      cron: "*/15 * * * *",
      zone: kathmandu,
      after: "2026-05-01T00:01:00Z",
      next: ["2026-05-01T00:15:00Z", "2026-05-01T00:30:00Z"]
    ),
    // In America the clocks change on other days, and also at two o'clock.
    Case(
      cron: "30 2 * * *",
      zone: newYork,
      after: "2026-03-07T12:00:00Z",
      next: ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"]
    ),
    Case(
      cron: "30 1 * * *",
      zone: newYork,
      after: "2026-10-31T12:00:00Z",
      next: ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"]
    ),
    // The local day begins at 18:15 UTC.
    Case(
      cron: "@daily",
      zone: kathmandu,
      after: "2026-02-28T12:00:00Z",
      next: ["2026-02-28T18:15:00Z", "2026-03-01T18:15:00Z"]
    ),
    // Working days, and the hours of a shift.
    Case(
      cron: "0 8-16/4 * * mon-fri",
      zone: stockholm,
      after: "2026-01-02T12:00:00Z",
      next: ["2026-01-02T15:00:00Z", "2026-01-05T07:00:00Z", "2026-01-05T11:00:00Z"]
    ),
    // With both day fields restricted, either may match. If one is a star, both must match.
    Case(
      cron: "0 12 13 * fri",
      zone: kathmandu,
      after: "2026-03-06T12:00:00Z",
      next: ["2026-03-13T06:15:00Z", "2026-03-20T06:15:00Z"]
    ),
    Case(
      cron: "0 12 */2 * fri",
      zone: kathmandu,
      after: "2026-03-01T12:00:00Z",
      next: ["2026-03-13T06:15:00Z", "2026-03-27T06:15:00Z"]
    ),
    Case(
      cron: "0 0 31 * *",
      zone: kathmandu,
      after: "2026-01-31T00:00:00Z",
      next: ["2026-03-30T18:15:00Z", "2026-05-30T18:15:00Z"]
    ),
    Case(
      cron: "0 6 * JAN,jul 7",
      zone: newYork,
      after: "2026-01-25T12:00:00Z",
      next: ["2026-07-05T10:00:00Z"]
    ),
  ]

  @Test(arguments: cases)
  func `a schedule is due when the clocks of its zone say so`(_ item: Case) throws {
    let cron = try CronExpression(parsing: item.cron)
    var moment = at(item.after)
    var found: [String] = []
    for _ in item.next {
      let next = try #require(cron.next(after: moment, in: item.zone.offsets))
      found.append(next.rfc3339)
      moment = next
    }
    #expect(found == item.next)
  }

  @Test func `a time beyond the known offsets of a zone is nil`() throws {
    let cron = try CronExpression(parsing: "0 0 29 2 *")
    #expect(cron.next(after: at("2026-01-01T00:00:00Z"), in: Self.stockholm.offsets) == nil)
    let hourly = try CronExpression(parsing: "0 * 29 2 *")
    #expect(hourly.next(after: at("2026-01-01T00:00:00Z"), in: Self.stockholm.offsets) == nil)
  }

  @Test func `of the times that were missed the latest stands for all`() throws {
    let cron = try CronExpression(parsing: "0 5 * * *")
    let offsets = Self.stockholm.offsets
    let latest = cron.latest(from: at("2026-03-20T04:00:00Z"), upTo: at("2026-03-29T12:00:00Z"), in: offsets)
    #expect(latest.rfc3339 == "2026-03-29T03:00:00Z")
    let none = cron.latest(from: at("2026-03-20T04:00:00Z"), upTo: at("2026-03-20T04:00:01Z"), in: offsets)
    #expect(none.rfc3339 == "2026-03-20T04:00:00Z")
    // A time that is due exactly now is included.
    let sharp = cron.latest(from: at("2026-03-20T04:00:00Z"), upTo: at("2026-03-22T04:00:00Z"), in: offsets)
    #expect(sharp.rfc3339 == "2026-03-22T04:00:00Z")
  }

  @Test(arguments: [
    ("0 5 * *", "it has 4 fields, not 5"), ("60 * * * *", "\"60\" is not a valid minute (0 to 59)"),
    ("0 24 * * *", "\"24\" is not a valid hour (0 to 23)"),
    ("0 0 0 * *", "\"0\" is not a valid day of the month (1 to 31)"),
    ("0 0 * fob *", "\"fob\" is not a valid month (1 to 12)"),
    ("0 0 * * 8", "\"8\" is not a valid day of the week (0 to 7)"),
    ("5/15 * * * *", "a step requires * or a range before it: \"5/15\""),
    ("*/0 * * * *", "\"0\" is not a step"), ("30-10 * * * *", "\"30-10\" ends before it begins"),
    ("0 0 30 2 *", "no year has such a date"), ("0 0 31 4,6 *", "no year has such a date"),
    ("1,,2 * * * *", "\"\" is not a valid minute (0 to 59)"), ("@often", "it has 1 fields, not 5"),
  ])
  func `an invalid cron expression is refused with the reason`(text: String, reason: String) throws {
    let error = #expect(throws: DomainError.self) { try CronExpression(parsing: text) }
    #expect(error?.code == .invalidSchedule)
    #expect(error?.message.hasSuffix(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `every time of a year comes once, whatever the clocks do`() throws {
    for zone in [Self.stockholm, Self.newYork, Self.kathmandu] {
      for text in ["30 2 * * *", "0 1 * * *", "15 0 * * *", "59 23 * * *"] {
        let cron = try CronExpression(parsing: text)
        var moment = at("2026-01-01T12:00:00Z")
        var days: [LocalDate] = []
        while let next = cron.next(after: moment, in: zone.offsets), next < at("2027-01-01T12:00:00Z") {
          #expect(next > moment)
          days.append(zone.offsets.reading(at: next).date)
          moment = next
        }
        #expect(days.count == 365, "\(text)")
        #expect(Set(days).count == 365, "\(text)")
      }
    }
  }
}

private func at(_ text: String) -> Instant {
  // All texts are in this file, and an invalid one shows in the result.
  (try? Instant(parsing: text)) ?? Instant(seconds: 0)
}
