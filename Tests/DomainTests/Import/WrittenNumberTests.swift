import Testing

@testable import Domain

/// Numbers as spreadsheets and other programs write them.
@Suite struct WrittenNumberTests {
  @Test(arguments: [
    ("151,97", "151.97"), ("1.355,90 €", "1355.90"), ("48,00", "48.00"), ("48", "48"),
    ("1 355,90 kr", "1355.90"), ("1\u{A0}355,90", "1355.90"), ("1\u{202F}355,90 €", "1355.90"),
    ("1\u{2009}355,90", "1355.90"), ("1'355,90", "1355.90"), ("CHF 1’355,90", "1355.90"),
    ("(12,50)", "-12.50"), ("(12,50 €)", "-12.50"), ("€ (12,50)", "-12.50"), ("12,50-", "-12.50"),
    ("-12,50", "-12.50"), ("\u{2212}12,50", "-12.50"), ("+12,50", "12.50"), ("- 12,50 €", "-12.50"),
    (",5", "0.5"), ("007,50", "7.50"), ("1.234.567", "1234567"), ("kr. 12,50", "12.50"),
    ("12,50 kr.", "12.50"),
    ("EUR 12,50", "12.50"), ("US$12,50", "12.50"),
  ])
  func `a number with a decimal comma is read`(_ text: String, value: String) throws {
    #expect(try WrittenNumber(parsing: text).value(decimal: .comma) == value)
  }

  @Test(arguments: [
    ("1,355.90", "1355.90"), ("12,34,567.89", "1234567.89"), ("1'355.90", "1355.90"), ("1.5", "1.5"),
    ("$1,355", "1355"), ("0.355", "0.355"),
  ])
  func `a number with a decimal point is read`(_ text: String, value: String) throws {
    #expect(try WrittenNumber(parsing: text).value(decimal: .point) == value)
  }

  @Test(arguments: [
    "151,97", "1.355,90", "1,35.5", "12,3456.7", "1.2.3", "1,355,90", "0,355.5", "1 35,5", "5.",
  ])
  func `a number is not bent to a decimal point`(_ text: String) throws {
    #expect(try WrittenNumber(parsing: text).value(decimal: .point) == nil)
  }

  @Test(arguments: [
    ("12 %", "percentage"), ("1.5E+03", "scientific"), ("1e3", "scientific"), ("１２", "other digits"),
    ("NaN", "not a number"), ("Infinity", "not a number"), ("-", "not a number"), ("n/a", "not a number"),
    ("#DIV/0!", "not a number"), ("€", "not a number"), ("12 h", "not a number"),
    ("-(12)", "more than one sign"),
    ("--12", "more than one sign"), ("-12-", "more than one sign"),
    ("€ 12 kr", "more than one sign or currency"),
    ("1/2", "not a number"), ("48,–", "not a number"), ("0x10", "not a number"),
  ])
  func `another text is refused with the reason`(_ text: String, reason: String) {
    let error = #expect(throws: DomainError.self) { try WrittenNumber(parsing: text) }
    #expect(
      error?.code == .invalidNumber && error?.message.contains(reason) == true,
      "\(error?.message ?? "")"
    )
  }

  @Test(arguments: ["48,-", "48.-"])
  func `a dash in place of decimals is no minus`(_ text: String) throws {
    let number = try WrittenNumber(parsing: text)
    #expect(number.value(decimal: .comma) == nil && number.value(decimal: .point) == nil)
  }

  @Test func `the stated sign between thousands is the only one`() throws {
    let number = try WrittenNumber(parsing: "1'355.90")
    #expect(number.value(decimal: .point, thousands: .apostrophe) == "1355.90")
    #expect(number.value(decimal: .point, thousands: .space) == nil)
    #expect(number.value(decimal: .point, thousands: ThousandsSign.none) == nil)
  }

  @Test func `more decimals than the column keeps are refused, and zeros are not`() throws {
    var notation = ColumnNotation()
    notation.decimal = .comma
    #expect(try notation.number("48,000", decimals: 2) == "48.00")
    #expect(try notation.number("3,0", decimals: 0) == "3")
    for (text, decimals) in [("1,355", 2), ("3,5", 0)] {
      #expect(throws: DomainError.self) { try notation.number(text, decimals: decimals) }
    }
    #expect(try ColumnNotation().number("1.355", decimals: nil) == "1.355")
  }
}
