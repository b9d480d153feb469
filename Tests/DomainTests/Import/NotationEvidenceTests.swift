import Testing

@testable import Domain

/// What the values of a column say about its notation.
@Suite struct NotationEvidenceTests {
  private func decimal(_ values: [String], _ stated: DecimalSign? = nil) throws -> DecimalSign {
    var evidence = NumberEvidence()
    for (index, value) in values.enumerated() { evidence.take(value, line: index + 2) }
    return try evidence.decimal(stated: stated, of: "cost")
  }

  @Test(arguments: [
    (["151,97", "1.355,90 €", "48,00"], DecimalSign.comma), (["1.355", "2,5"], .comma),
    (["1.234.567"], .comma),
    (["151.97", "1.355"], .point), (["0.355"], .point), (["1 234.567"], .point), (["1355.900"], .point),
    (["48", "1 234", "x"], .point), ([], .point),
  ])
  func `one value that is certain decides for all`(_ values: [String], expected: DecimalSign) throws {
    #expect(try decimal(values) == expected)
    #expect(try decimal(values, .comma) == .comma)
  }

  @Test(arguments: [["1.355"], ["48", "1,355"], ["1.355", "12.500"], ["151,97", "151.97"]])
  func `two possible readings are asked about`(_ values: [String]) throws {
    let error = #expect(throws: DomainError.self) { try decimal(values) }
    #expect(error?.code == .invalidImport && error?.hint.contains("--decimal comma") == true)
    #expect(try decimal(values, .point) == .point)
  }

  @Test func `two currencies in a column are refused`() throws {
    let error = #expect(throws: DomainError.self) { try decimal(["12,50 €", "12,50 $"], .comma) }
    #expect(error?.message.contains("eur") == true)
    #expect(try decimal(["12,50 €", "EUR 3,10", "7,20"]) == .comma)
  }

  private func format(_ values: [String], _ stated: DateFormat? = nil) throws -> DateFormat? {
    var evidence = DateEvidence()
    for (index, value) in values.enumerated() { evidence.take(value, line: index + 2) }
    return try evidence.format(stated: stated, of: "date")
  }

  @Test(arguments: [
    (["01/02/2026", "28/02/2026"], DateOrder.dayFirst), (["01/02/2026", "02/28/2026"], .monthFirst),
    (["28.3.2026"], .dayFirst), (["05/05/2026"], .dayFirst),
  ])
  func `a day after the twelfth decides the order`(_ values: [String], expected: DateOrder) throws {
    #expect(try format(values)?.order == expected)
  }

  @Test(arguments: [["01/02/2026"], ["28/02/2026", "02/28/2026"], ["28/03/26"]])
  func `two possible orders are asked about`(_ values: [String]) throws {
    let error = #expect(throws: DomainError.self) { try format(values) }
    #expect(error?.code == .invalidImport && error?.hint.contains("--date-format") == true)
  }

  @Test(arguments: [
    ("2026-03-28", "2026-03-28"), ("2026/3/8", "2026-03-08"), ("28/03/2026", "2026-03-28"),
    ("28.03.2026 12:30", "2026-03-28"), ("28/03/2026 12:00:00 AM", "2026-03-28"),
    ("2025-01-10T07:00:00", "2025-01-10"), ("2025-01-11 06:15:00", "2025-01-11"),
    ("2025-01-10T23:30:00+02:00", "2025-01-10"), ("2025-01-10T23:30:00-02:00", "2025-01-11"),
  ])
  func `a date is read with or without a time of day`(_ text: String, date: String) throws {
    var notation = ColumnNotation()
    notation.dates = try DateFormat(parsing: "dd/mm/yyyy")
    #expect(try notation.date(text, days: [:]).description == date)
  }

  @Test(arguments: [
    "46114", "31/02/2026", "03/28/2026", "28/03/26", "2026-03-28T25:00", "28-03.2026", "yesterday",
  ])
  func `another text is no date`(_ text: String) throws {
    var notation = ColumnNotation()
    notation.dates = try DateFormat(parsing: "dd/mm/yyyy")
    #expect(throws: DomainError.self) { try notation.date(text, days: [:]) }
  }

  @Test(arguments: [
    ("2026-03-28 14:00:00+01", "2026-03-28T13:00:00Z", false),
    ("2026-03-28T14:00:00.25+0100", "2026-03-28T13:00:00.25Z", false),
    ("28/03/2026 14:00:00.1234567", "2026-03-28T14:00:00.123456Z", true),
    ("28/03/2026", "2026-03-28T00:00:00Z", true),
  ])
  func `a time keeps its microseconds`(_ text: String, time: String, isLocal: Bool) throws {
    var notation = ColumnNotation()
    notation.dates = try DateFormat(parsing: "dd/mm/yyyy")
    let read = try notation.instant(text)
    #expect(read.instant.description == time && read.isLocal == isLocal)
  }

  @Test func `years of two digits are read as stated`() throws {
    var notation = ColumnNotation()
    notation.dates = try DateFormat(parsing: "dd.mm.yy")
    #expect(try notation.date("01.02.26", days: [:]).description == "2026-02-01")
    #expect(try notation.date("01.02.98", days: [:]).description == "1998-02-01")
    #expect(throws: DomainError.self) { try DateFormat(parsing: "dd/dd/yyyy") }
  }

  @Test func `signs that contradict each other are refused`() {
    #expect(throws: DomainError.self) { try StatedNotation(decimal: .comma, thousands: .comma) }
    #expect(throws: Never.self) { try StatedNotation(thousands: .point) }
  }
}
