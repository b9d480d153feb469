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

  /// Returns a number that a person wrote, in the notation of PostgreSQL: `5,5` and `5.5`, `1 234`, `1,234.50`.
  ///
  /// A text that is no number is returned as it is, to be refused by its column. The field app reads numbers in the same way
  /// (`read` in `words.js`).
  ///
  /// - Throws: `invalid_number` for the sign that is not the decimal sign of the language before exactly three digits, such
  ///   as `1,234` in English: it may part thousands or decimals.
  package func read(_ text: String) throws(DomainError) -> String {
    var digits = text.filter { !$0.isWhitespace && $0 != "\u{202F}" && $0 != "\u{A0}" }
    if digits.hasPrefix("\u{2212}") { digits = "-" + digits.dropFirst() }
    let sign = digits.hasPrefix("-") ? "-" : ""
    let parts = digits.dropFirst(sign.count).split(omittingEmptySubsequences: false) {
      $0 == "," || $0 == "."
    }
    let marks = digits.filter { $0 == "," || $0 == "." }
    guard let last = marks.last, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else {
      return digits
    }
    let isGrouped =
      !parts[0].hasPrefix("0") && (1...3).contains(parts[0].count)
      && parts.dropFirst().dropLast().allSatisfy { $0.count == 3 }
    let whole = sign + parts.dropLast().joined(separator: "")
    let decimal = "\(whole).\(parts[parts.count - 1])"
    let thousands = "\(whole)\(parts[parts.count - 1])"
    let areThousands = isGrouped && parts[parts.count - 1].count == 3
    guard marks.count > 1 else {
      guard areThousands, String(last) != point else { return decimal }
      throw DomainError(
        .invalidNumber,
        "\(Quoted(text)) can be \(thousands) or \(decimal); write one of these"
      )
    }
    // Of several signs, the last one is the decimal sign if it is another one.
    if marks.dropLast().allSatisfy({ $0 == last }) { return areThousands ? thousands : digits }
    return isGrouped && Set(marks.dropLast()).count == 1 ? decimal : digits
  }

  /// Returns a decimal for an input field, without groups.
  package func input(decimal: String) -> String { decimal.replacing(".", with: point) }
}
