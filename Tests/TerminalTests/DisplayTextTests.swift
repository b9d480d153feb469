import Testing

@testable import Terminal

@Suite struct DisplayTextTests {
  @Test(
    arguments: [
      ("", 0), ("abc", 3), ("å", 1), ("a\u{30A}", 1), ("日本", 4), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
      ("👩🏽‍🔧", 2), ("🇸🇪", 2), ("❤️", 2), ("é́́", 1), ("क्षि", 3), ("…", 1), ("—", 1), ("ﾊ", 1), ("Ａ", 2),
    ]
  )
  func `width counts terminal columns`(text: String, width: Int) {
    #expect(DisplayText.width(text) == width)
  }

  @Test(
    arguments: [
      ("\u{1B}[31mred\u{1B}[0m", "␛[31mred␛[0m"),
      ("two\nlines\r", "two␊lines␍"),
      ("del\u{7F}", "del␡"),
      ("\u{9B}31m", "\\u{9B}31m"),
      ("abc\u{202E}cba\u{202C}", "abc\\u{202E}cba\\u{202C}"),
      ("\u{2066}x\u{2069}\u{200E}\u{200B}\u{FEFF}", "\\u{2066}x\\u{2069}\\u{200E}\\u{200B}\\u{FEFF}"),
      ("line\u{2028}sep", "line\\u{2028}sep"),
      ("\r\n", "␍␊"),
      ("Åsa 日本 👩🏽‍🔧", "Åsa 日本 👩🏽‍🔧"),
      (
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
      ),
      ("a\u{E0067}", "a\\u{E0067}"),
    ]
  )
  func `characters that act on a terminal are made visible`(text: String, shown: String) {
    #expect(DisplayText.neutralized(text) == shown)
  }

  @Test(
    arguments: [
      ("hydraulic", 9, "hydraulic"), ("hydraulic", 5, "hydr…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
      ("👩🏽‍🔧👩🏽‍🔧", 3, "👩🏽‍🔧…"), ("abc", 1, "…"), ("abc", 0, ""),
    ]
  )
  func `truncation keeps characters whole and marks the cut`(text: String, width: Int, cut: String) {
    #expect(DisplayText.truncated(text, to: width) == cut)
    #expect(DisplayText.width(cut) <= width)
  }

  @Test func `wrapping breaks at spaces, and inside words only where it must`() {
    #expect(DisplayText.wrapped("replace the hose", to: 11) == ["replace the", "hose"])
    #expect(DisplayText.wrapped("abcdefgh ij", to: 3) == ["abc", "def", "gh", "ij"])
    #expect(DisplayText.wrapped("", to: 3) == [""])
  }
}
