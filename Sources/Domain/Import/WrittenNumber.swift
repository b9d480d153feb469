/// The sign before the decimals of a number.
package enum DecimalSign: String, Sendable, CaseIterable {
  case comma, point
}

/// The sign between the thousands of a number.
package enum ThousandsSign: String, Sendable, CaseIterable {
  case comma, point, space, apostrophe, none
}

/// A number as a spreadsheet or another program writes it, such as `1.355,90 €`, `(1'355.90)` or `12,50-`.
///
/// Its value may depend on the decimal sign: `1.355` is either one thousand or one.
package struct WrittenNumber: Sendable, Hashable {
  private enum Mark: Sendable {
    case point, comma, space, apostrophe
  }

  /// The currency in lower case, such as `eur`; nil if the number has none.
  package let currency: String?
  private let isNegative: Bool
  /// The digits between the marks: one element more than ``marks``.
  private let runs: [String]
  private let marks: [Mark]

  /// Parses digits with points, commas, blanks or apostrophes between them, at most one sign, which may follow
  /// the digits or be a pair of brackets, and at most one currency.
  ///
  /// - Throws: `invalid_number` with the reason, for example for a percentage or scientific notation.
  package init(parsing text: String) throws(DomainError) {
    let scalars = Array(text.unicodeScalars.prefix(65))
    func refusal(_ reason: String) -> DomainError { DomainError(.invalidNumber, "\(Quoted(text)) \(reason)") }
    guard scalars.count <= 64 else { throw refusal("is not a number") }
    var frame = NumberFrame(scalars)
    guard frame.peel() else { throw refusal("has more than one sign or currency") }
    var runs: [String] = [""]
    var marks: [Mark] = []
    for scalar in frame.rest {
      if (0x30...0x39).contains(scalar.value) {
        runs[runs.count - 1].unicodeScalars.append(scalar)
      } else if let mark = Self.mark(scalar) {
        marks.append(mark)
        runs.append("")
      } else {
        throw refusal(Self.reason(for: scalar, among: scalars))
      }
    }
    guard runs.contains(where: { !$0.isEmpty }) else { throw refusal("is not a number") }
    currency = frame.currency
    isNegative = frame.isNegative
    self.runs = runs
    self.marks = marks
  }

  /// Returns the value in the grammar of JSON if this is the decimal sign; nil if the number cannot be written
  /// with it.
  ///
  /// - Parameter thousands: the only accepted sign between thousands; nil for any but the decimal sign.
  package func value(decimal: DecimalSign, thousands: ThousandsSign? = nil) -> String? {
    let sign: Mark = decimal == .comma ? .comma : .point
    var groups = runs[...]
    var between = marks[...]
    var fraction: String?
    if between.last == sign {
      between.removeLast()
      fraction = groups.removeLast()
      guard fraction?.isEmpty == false else { return nil }
    }
    if let first = between.first {
      guard first != sign, between.allSatisfy({ $0 == first }), Self.accepts(first, thousands),
        Self.areThousands(groups)
      else { return nil }
    }
    var whole = groups.joined()
    guard !whole.isEmpty || fraction != nil else { return nil }
    while whole.count > 1, whole.first == "0" { whole.removeFirst() }
    return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole) + (fraction.map { ".\($0)" } ?? "")
  }

  /// True if the currency of the number can be the one with an ISO 4217 code: `kr` and `$` are those of several countries.
  package func isIn(_ code: String) -> Bool {
    guard let currency else { return false }
    return NumberFrame.can(currency, mean: code.lowercased())
  }

  /// True for groups of three digits, and for the groups of two that Indian numbers have before the last one.
  private static func areThousands(_ groups: ArraySlice<String>) -> Bool {
    guard let first = groups.first, let last = groups.last, groups.count > 1, !first.hasPrefix("0") else {
      return false
    }
    let middle = groups.dropFirst().dropLast()
    guard last.count == 3, (1...3).contains(first.count) else { return false }
    if middle.allSatisfy({ $0.count == 3 }) { return true }
    return first.count <= 2 && middle.allSatisfy { $0.count == 2 }
  }

  private static func accepts(_ mark: Mark, _ stated: ThousandsSign?) -> Bool {
    switch (stated, mark) {
    case (nil, _), (.comma, .comma), (.point, .point), (.space, .space), (.apostrophe, .apostrophe): true
    default: false
    }
  }

  private static func mark(_ scalar: Unicode.Scalar) -> Mark? {
    switch scalar {
    case ".": .point
    case ",": .comma
    case "'", "\u{2019}", "\u{02BC}": .apostrophe
    default: NumberFrame.isBlank(scalar) ? .space : nil
    }
  }

  private static func reason(for scalar: Unicode.Scalar, among all: [Unicode.Scalar]) -> String {
    if all.contains(where: { "%‰％٪".unicodeScalars.contains($0) }) { return "is a percentage, not a number" }
    if scalar.properties.numericType != nil { return "has other digits than 0 to 9" }
    if scalar == "e" || scalar == "E", all.contains(where: { (0x30...0x39).contains($0.value) }) {
      return "is in scientific notation, which may have lost digits"
    }
    return "is not a number"
  }
}
