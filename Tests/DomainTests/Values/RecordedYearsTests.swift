import Testing

@testable import Domain

@Suite struct RecordedYearsTests {
  @Test(arguments: ["1900-01-01", "2026-03-28", "2200-12-31"])
  func `dates from 1900 to 2200 can be recorded`(text: String) throws {
    try RecordedYears.require(LocalDate(parsing: text))
    try RecordedYears.require(Instant(parsing: "\(text)T23:59:59Z"))
  }

  @Test(arguments: ["1899-12-31", "2201-01-01", "0206-07-01", "9999-12-31"])
  func `dates outside these years are refused by name`(text: String) {
    #expect(refusal { try RecordedYears.require(LocalDate(parsing: text)) }?.code == .invalidDate)
    let moment = refusal { try RecordedYears.require(Instant(parsing: "\(text)T00:00:00Z")) }
    #expect(moment?.code == .invalidInstant)
    #expect(moment?.message.contains("is outside the years 1900 to 2200") == true)
  }
}
