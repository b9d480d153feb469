import Testing

@testable import Domain

@Suite struct StringTrimmingTests {
  @Test(arguments: [
    ("a", "a"), (" a", "a"), ("a ", "a"), ("\ta b\n", "a b"), ("\u{A0}a\u{2003}", "a"), ("é ", "é"),
    ("  ", ""),
    ("", ""),
  ])
  func `white space at both ends is removed, white space between stays`(_ text: String, _ trimmed: String) {
    #expect(text.trimmingSpaces() == trimmed)
  }
}
