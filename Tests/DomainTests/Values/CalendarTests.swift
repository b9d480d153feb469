import Testing

@testable import Domain

@Suite struct CalendarTests {
  @Test func `every day from year 1 to 9999 follows the one before`() throws {
    var previous = LocalDate(daysSince1970: -719_162)
    #expect(previous.description == "0001-01-01")
    for days in -719_161...2_932_896 {
      let date = LocalDate(daysSince1970: days)
      let isNextDay =
        date.day == previous.day + 1 && date.month == previous.month && date.year == previous.year
      let isFirst = date.day == 1 && (date.month == previous.month + 1 || date.month == 1)
      guard date.daysSince1970 == days, isNextDay || isFirst else {
        Issue.record("\(previous) is followed by \(date), day \(days)")
        return
      }
      previous = date
    }
    #expect(previous.description == "9999-12-31")
  }

  @Test(arguments: [
    ("1970-01-01", 0), ("2000-01-01", 10_957), ("2024-02-29", 19_782), ("1900-03-01", -25_508),
  ])
  func `a date is a number of days since 1970`(text: String, days: Int) throws {
    #expect(try LocalDate(parsing: text).daysSince1970 == days)
  }

  @Test(arguments: [
    "2004-13-45", "2025-02-29", "1900-02-29", "2026-3-28", "28.03.2026", "2026-03-28T00:00:00Z", "",
    "0000-01-01",
    "2026-00-10", "2026-04-31", "２026-03-28",
  ])
  func `a day that does not exist is refused`(text: String) {
    #expect(refusal { _ = try LocalDate(parsing: text) }?.code == .invalidDate)
  }

  @Test func `a month's end is followed by the first`() throws {
    #expect(try LocalDate(parsing: "2024-02-28").adding(days: 2).description == "2024-03-01")
    #expect(try LocalDate(parsing: "2026-12-31").adding(days: 1).description == "2027-01-01")
  }

  @Test(arguments: ["00:00", "08:00", "16:30", "23:59"])
  func `a time of day prints as it reads`(text: String) throws {
    #expect(try LocalTime(parsing: text).description == text)
  }

  @Test(arguments: [
    ("8:00 AM", "24-hour"), ("08:00pm", "24-hour"), ("8:00", "two digits, such as 08:00"),
    ("08:00:00", "seconds"), ("08:005", "hours and minutes"), ("0800", "hours and minutes"),
    ("", "hours and minutes"), ("24:00", "23:59"),
    ("08:60", "23:59"), ("+8:00", "hours and minutes"), ("٠٨:٠٠", "hours and minutes"),
  ])
  func `any other time is refused with the reason`(text: String, reason: String) throws {
    let error = try #require(refusal { _ = try LocalTime(parsing: text) })
    #expect(error.code == .invalidTime)
    #expect(error.message.contains(reason))
  }

  @Test(
    arguments: [
      ("P7D", 604_800), ("PT72H", 259_200), ("PT15M", 900), ("P1W", 604_800), ("P1DT12H30M5S", 131_405),
      ("PT0S", 0),
    ] as [(String, Int64)]
  )
  func `a delay is a number of seconds`(text: String, seconds: Int64) throws {
    #expect(try Delay(parsing: text).microseconds == seconds * 1_000_000)
  }

  @Test(arguments: [
    "", "P", "PT", "7D", "P1Y", "P1M", "PT1.5H", "P7DT", "PTH", "P-1D", "PT1M1H", "P1H", "p7d", "P1D1D",
    "P99999999999D",
  ])
  func `a delay of unknown length is refused`(text: String) {
    #expect(refusal { _ = try Delay(parsing: text) }?.code == .invalidDuration)
  }
}
