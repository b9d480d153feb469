import Testing

@testable import Domain

/// A required text shows something to the person who reads it.
@Suite struct VisibleTextTests {
  @Test(arguments: [
    "", " ", "\u{A0}", "\t\r\n", "\u{200B}", "\u{200B}\u{200D}\u{2060}", "\u{FEFF}", "\u{202E}", "\u{2800}",
    "\u{3164}",
    "\u{115F}\u{1160}", "\u{FFA0}", "\u{180E}", "\u{034F}", "\u{061C}", "\u{17B4}", "\u{E0020}", "\u{FE0F}",
    "\u{1F}",
    "\u{301}", "\u{20DD}", "\u{2028}", "\u{FFFE}", "\u{1D173}",
  ])
  func `a text of blanks and invisible characters is none`(_ text: String) throws {
    #expect(!text.isVisible && text.visibleCount == 0)
    #expect(JSONValue.string(text).isBlank)
    #expect(refusal { _ = try DisplayName(parsing: text) }?.code == .invalidName)
  }

  @Test(arguments: [
    ("a", 1), (" a b ", 3), ("é", 1), ("e\u{301}", 1), ("好", 1), ("👩‍👩‍👧", 1), ("-", 1),
    ("a\u{200B}\u{2060}b", 2),
  ])
  func `a text that shows something counts what it shows`(_ text: String, _ count: Int) {
    #expect(text.isVisible && text.visibleCount == count)
  }
}
