import Domain
import Testing
import Web

@Suite struct NumberAndDateTests {
  @Test(
    arguments: [
      ("1234", "1234", "1234"), ("12345", "12,345", "12\u{202F}345"),
      ("-1234567.50", "\u{2212}1,234,567.50", "\u{2212}1\u{202F}234\u{202F}567,50"), ("0.5", "0.5", "0,5"),
      ("NaN", "NaN", "NaN"), ("1e5", "1e5", "1e5"), ("", "", ""),
    ]
  )
  func `numbers are written as people of the language do`(
    _ decimal: String,
    _ english: String,
    _ swedish: String
  ) {
    #expect(NumberText(.english).text(decimal: decimal) == english)
    #expect(NumberText(.swedish).text(decimal: decimal) == swedish)
  }

  @Test(
    arguments: [
      ("5,5", "5.5", "5.5"), ("5.5", "5.5", "5.5"), ("1 234,50", "1234.50", "1234.50"),
      ("\u{2212}3", "-3", "-3"),
      // In English it may be a thousand, in Swedish it cannot.
      ("1,234", "1,234", "1.234"), ("1,2,3", "1,2,3", "1,2,3"), ("1.234,5", "1.234,5", "1.234,5"),
      ("x", "x", "x"),
    ]
  )
  func `numbers are read with comma and point`(_ text: String, _ english: String, _ swedish: String) {
    #expect(NumberText(.english).read(text) == english)
    #expect(NumberText(.swedish).read(text) == swedish)
  }

  @Test func `dates and times name the month`() {
    #expect(DateText(.english).text(date: "2026-01-05") == "5 Jan 2026")
    #expect(DateText(.swedish).text(local: "2026-05-17 08:30:00") == "17 maj 2026 08:30")
    #expect(DateText(.english).text(date: "soon") == "soon")
  }
}
