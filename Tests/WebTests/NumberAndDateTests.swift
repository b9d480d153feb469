import Domain
import FoundationEssentials
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

  /// The vectors are those of the field app too: a text, and its value in English and in Swedish; null for none.
  @Test func `numbers are read with comma and point, and what may part thousands is refused`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appending(path: "BrowserTests/Vectors/numbers.json")
    let vectors = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8)).array ?? []
    #expect(vectors.count > 20)
    for vector in vectors {
      let row = vector.array ?? []
      let text = try #require(row.first?.string)
      for (language, value) in zip([Language.english, .swedish], row.dropFirst()) {
        let read = (try? NumberText(language).read(text)).flatMap { ExactDecimal($0) == nil ? nil : $0 }
        #expect(read == value.string, "\(text) in \(language)")
      }
    }
  }

  @Test func `what can be read in two ways is refused with both`() {
    let error = #expect(throws: DomainError.self) { try NumberText(.swedish).read("12.345") }
    #expect(error?.message == "\"12.345\" can be 12345 or 12.345; write one of these")
    let said = error.flatMap { Words.of(.swedish).said($0.message) { _ in nil } }
    #expect(said == "”12.345” kan vara 12345 eller 12,345; skriv ett av dem")
  }

  @Test func `dates and times name the month`() {
    #expect(DateText(.english).text(date: "2026-01-05") == "5 Jan 2026")
    #expect(DateText(.swedish).text(local: "2026-05-17 08:30:00") == "17 maj 2026 08:30")
    #expect(DateText(.english).text(date: "soon") == "soon")
  }
}
