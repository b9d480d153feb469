import Testing

@testable import Terminal

/// No text of a person becomes a formula of the one who opens a file.
@Suite struct SpreadsheetTests {
  @Test(arguments: [
    "＝1+1", "＋1", "－1", "＠SUM(A1)", "﹦1", "﹢1", "﹣1", "﹫x", "−1", "⁼1", "₊1", " =1", "\u{A0}=1", "\u{3000}＝1",
    "\u{FEFF}=1",
    "\u{200B}=1", "\u{202E}=1", "\u{0}=1", "\u{1F}=1", "'=1", "' ＝1", "\u{0B}=1", "\u{85}=1", "\u{2028}x",
    "\r\n=1",
  ])
  func `a sign of formulas in any width and behind what nobody sees is neutralised`(_ text: String) {
    let line = CSVText.line([.string(text)])
    #expect(line.hasPrefix("'") || line.hasPrefix("\"'"), "\(line)")
    // Removing one quote restores the original.
    let field = line.dropLast(1)
    #expect(field.filter { $0 != "\"" }.hasPrefix("'" + text.filter { $0 != "\"" }))
  }

  @Test(arguments: ["a=1", "x＝y", "1-2", "é", "好", "'quoted'", "(=)", "/=", "中－文", ""])
  func `an ordinary text is written as it is`(_ text: String) {
    let line = CSVText.line([.string(text)])
    #expect(line == (text.isEmpty ? "\"\"\r\n" : "\(text)\r\n"))
  }
}
