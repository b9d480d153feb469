/// The order of cells for `--sort`.
enum CellOrder {
  /// Returns -1, 0 or 1 for the order of two cells. Null is last; text is compared without case first.
  static func compare(_ left: Cell, _ right: Cell) -> Int {
    switch (left, right) {
    case (.null, .null): 0
    case (.null, _): 1
    case (_, .null): -1
    case (.number(let left), .number(let right)): compareNumbers(left, right)
    default: compareTexts(left.plainText, right.plainText)
    }
  }

  private static func compareTexts(_ left: String, _ right: String) -> Int {
    let (foldedLeft, foldedRight) = (left.lowercased(), right.lowercased())
    if foldedLeft != foldedRight { return foldedLeft < foldedRight ? -1 : 1 }
    return left == right ? 0 : left < right ? -1 : 1
  }

  /// Compares decimals digit by digit, because two different decimals can be equal as `Double`.
  private static func compareNumbers(_ left: String, _ right: String) -> Int {
    guard let exactLeft = Decimal(left), let exactRight = Decimal(right) else {
      let (left, right) = (Double(left) ?? .nan, Double(right) ?? .nan)
      // NaN sorts above every number, as in PostgreSQL.
      if left.isNaN || right.isNaN { return (left.isNaN ? 1 : 0) - (right.isNaN ? 1 : 0) }
      return left == right ? 0 : left < right ? -1 : 1
    }
    return exactLeft.compare(exactRight)
  }

  /// A decimal number without exponent, split at the decimal point.
  private struct Decimal {
    var isNegative: Bool
    var whole: Substring
    var fraction: Substring

    init?(_ text: String) {
      isNegative = text.hasPrefix("-")
      let parts = text.dropFirst(isNegative ? 1 : 0).split(
        separator: ".",
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      guard parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), parts[0] != "" else {
        return nil
      }
      whole = parts[0].drop { $0 == "0" }
      fraction = parts.count > 1 ? parts[1] : ""
      while fraction.last == "0" { fraction.removeLast() }
      if whole.isEmpty, fraction.isEmpty { isNegative = false }
    }

    func compare(_ other: Decimal) -> Int {
      guard isNegative == other.isNegative else { return isNegative ? -1 : 1 }
      let magnitude =
        if whole.utf8.count != other.whole.utf8.count {
          whole.utf8.count < other.whole.utf8.count ? -1 : 1
        } else if whole != other.whole {
          whole < other.whole ? -1 : 1
        } else {
          fraction == other.fraction ? 0 : fraction < other.fraction ? -1 : 1
        }
      return isNegative ? -magnitude : magnitude
    }
  }
}
