package import Domain

/// Numbers as people of a language write them: `1,234.5` in English, `1 234,5` in Swedish.
package struct NumberText: Sendable {
  private let group: String
  private let point: String

  package init(_ language: Language) {
    // Swedish groups by a narrow space that does not break.
    (group, point) = language == .swedish ? ("\u{202F}", ",") : (",", ".")
  }

  /// Returns a whole number.
  package func text(_ number: Int) -> String { text(decimal: "\(number)") }

  /// Returns a decimal as PostgreSQL writes it, such as `-1234.50`, for people. Another text is returned as it is.
  package func text(decimal: String) -> String {
    let isNegative = decimal.hasPrefix("-")
    let parts = decimal.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, !whole.isEmpty, parts.count <= 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return decimal }
    var grouped = ""
    for (index, digit) in whole.enumerated() {
      // Four digits are read without a gap.
      if index > 0, (whole.count - index) % 3 == 0, whole.count > 4 { grouped += group }
      grouped.append(digit)
    }
    if parts.count == 2 { grouped += point + parts[1] }
    return (isNegative ? "\u{2212}" : "") + grouped
  }

  /// Returns a decimal without zeros at its end, for figures that are read at a glance.
  package func text(brief decimal: String) -> String {
    guard decimal.contains(".") else { return text(decimal: decimal) }
    let short = decimal.reversed().drop { $0 == "0" }.reversed()
    return text(decimal: String(short.last == "." ? short.dropLast() : short[...]))
  }

  /// Returns a number that a person wrote, in the notation of PostgreSQL: `5,5` and `5.5`, `1 234`.
  ///
  /// A text that can be read in two ways, such as `1,234`, or not at all, is returned as it is, to be refused.
  package func read(_ text: String) -> String {
    var digits = text.filter { !$0.isWhitespace && $0 != "\u{202F}" && $0 != "\u{A0}" }
    if digits.hasPrefix("\u{2212}") { digits = "-" + digits.dropFirst() }
    guard digits.count(where: { $0 == "," }) == 1, !digits.contains(".") else { return digits }
    // In English, a comma before three digits separates thousands.
    if point == ".", digits.suffix(4).hasPrefix(",") { return digits }
    return digits.replacing(",", with: ".")
  }

  /// Returns a decimal for an input field, without groups.
  package func input(decimal: String) -> String { decimal.replacing(".", with: point) }
}
