import Testing
import Values

@Suite struct ValueTextTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59.5Z", 951_868_799_500_000),
    ("1969-12-31T23:59:59.999999Z", -1), ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
    ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
  ])
  func `instants are read and written in RFC 3339`(text: String, microseconds: Int64) {
    #expect(Instant(rfc3339: text)?.microseconds == microseconds)
    #expect(Instant(microseconds: microseconds).rfc3339 == text)
  }

  @Test(arguments: [
    ("2026-03-28T22:00:00+01:00", "2026-03-28T21:00:00Z"),
    ("2026-03-28 22:00:00.120-02:30", "2026-03-29T00:30:00.12Z"),
  ])
  func `offsets are taken into account`(text: String, utc: String) {
    #expect(Instant(rfc3339: text)?.rfc3339 == utc)
  }

  @Test(arguments: [
    "", "2026-03-28", "2026-02-30T00:00:00Z", "2026-03-28T25:00:00Z", "2026-03-28T24:00:00Z",
    "2026-03-28T10:00:00",
    "2026-03-28T10:00:00+1:00", "2026-03-28T10:00:00.1234567Z", "2026-03-28T10:00Z+00:00",
    "2026-3-28T10:00:00Z0",
  ])
  func `an invalid RFC 3339 time is refused`(text: String) {
    #expect(Instant(rfc3339: text) == nil)
  }

  @Test(
    arguments: [
      ("2026-03-28T10:00:00.123456789Z", "2026-03-28T10:00:00.123456Z"),
      ("2026-03-28T10:00:00.1234567+01:00", "2026-03-28T09:00:00.123456Z"),
      ("2026-03-28T10:00Z", "2026-03-28T10:00:00Z"), ("2026-03-28T10:00+01:00", "2026-03-28T09:00:00Z"),
      ("2026-03-28T10:00:30Z", "2026-03-28T10:00:30Z"), ("2026-03-28T10:00:00.5Z", "2026-03-28T10:00:00.5Z"),
      ("2026-03-28T10:00", nil), ("2026-03-28Z", nil), ("yesterday.5", nil),
    ] as [(String, String?)]
  )
  func `the clocks of programs write more decimals, or no seconds`(text: String, utc: String?) {
    #expect(Instant(clock: text)?.rfc3339 == utc)
  }

  @Test(
    arguments: [
      (#"{"list":[1,"a\u0000"]}"#, 1), (#"{"in":{"list":[{"a":1,"a":2}]}}"#, 0),
      (#"{"list":[1,[1e400 ]]}"#, 1),
      (#"{"list":[1],"b":"\ud800"}"#, nil), (#"{"list":[1,"a"#, nil),
      (#"{"a":{"b":{"list":["\u0000"]}}}"#, nil),
    ] as [(String, Int?)]
  )
  func `an error in JSON is in an element of a list, or beside it`(text: String, element: Int?) {
    let limits = DocumentLimits(bytes: 1_000, nodes: 100)
    let error = #expect(throws: JSONListError.self) {
      try JSONReader.read(Array(text.utf8), limits, list: "list")
    }
    #expect(error?.element == element)
  }

  @Test func `every day from 1600 to 2400 has a number and is found by it`() throws {
    var previous: LocalDate?
    for days in -135_140...157_054 {
      let date = LocalDate(daysSince1970: days)
      #expect(date.daysSince1970 == days)
      #expect(LocalDate(iso: date.description) == date)
      if let previous { #expect(previous < date) }
      previous = date
    }
  }

  @Test(arguments: [
    "2023-02-29", "2100-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "0000-01-01", "24-01-01",
    "2024/01/01",
  ])
  func `days that the calendar does not have are refused`(text: String) {
    #expect(LocalDate(iso: text) == nil)
  }

  @Test(arguments: [
    ("08:00", "08:00"), ("08:00:00", "08:00"), ("08:00:30", "08:00:30"), ("23:59:59.25", "23:59:59.25"),
    ("24:00:00", "24:00"),
    ("00:00:00.000001", "00:00:00.000001"),
  ])
  func `times of day are read and written`(text: String, written: String) {
    #expect(LocalTime(iso: text)?.description == written)
  }

  @Test(arguments: [
    "8:00", "08:00 AM", "24:00:01", "12:60", "12:00:60", "12:00:00.", "12:00:00.1234567", "1200",
  ])
  func `an invalid time of day is refused`(text: String) {
    #expect(LocalTime(iso: text) == nil)
  }

  @Test(arguments: [
    "0", "1", "-1", "10000", "123456789012345678901234567890.0001", "0.00000001", "-0.50", "1000000000000",
    "0.000",
    "99990000.00009999", "1e5", "-2.50E-3",
  ])
  func `decimal numbers keep their digits`(text: String) {
    #expect(ExactDecimal(text)?.description == text)
  }

  @Test(arguments: [
    "", ".", "1.", ".5", "1e", "--1", "1 ", "0x1", "1.2.3", "+7", "01", "NaN", "Infinity", "1e309",
  ])
  func `an invalid decimal number is refused`(text: String) {
    #expect(ExactDecimal(text) == nil)
  }

  @Test func `decimal numbers compare by value`() throws {
    let ordered = try [
      "-1e300", "-10000", "-2.5", "-2.49", "-0.5", "0", "1e-5", "0.0001", "0.1", "1", "9999", "10000.5",
      "1e5",
    ]
    .map { try #require(ExactDecimal($0)) }
    #expect(ordered.reversed().sorted() == ordered)
    #expect(ExactDecimal("1.50") == ExactDecimal("1.5"))
    #expect(ExactDecimal("1.50")?.hashValue == ExactDecimal("1.500")?.hashValue)
    #expect(ExactDecimal("-0") == 0)
    #expect(ExactDecimal(-42) == ExactDecimal("-42.00"))
    #expect(ExactDecimal(Int.min).description == "\(Int.min)")
  }

  @Test func `beyond the years of RFC 3339, instants are still written`() {
    #expect(Instant.distantFuture.rfc3339 == "infinity" && Instant.distantPast.rfc3339 == "-infinity")
    #expect(Instant(seconds: 253_402_300_800).rfc3339 == "10000-01-01T00:00:00Z")
    #expect(Instant(seconds: -62_167_219_201).rfc3339 == "-0001-12-31T23:59:59Z")
    #expect(Instant(rfc3339: "infinity") == nil)
  }
}
