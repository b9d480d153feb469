package import Domain

/// An amount of a nutrient, exact to a tenth of a gram.
package struct Grams: Sendable, Hashable, Comparable {
  /// The amount in tenths of a gram.
  package let tenths: Int

  /// Zero grams.
  package static let zero = Grams(tenths: 0)

  /// The maximum amount of one entry, goal or preset: 2,000 g.
  package static let most = Grams(tenths: 20_000)

  /// Creates an amount from tenths of a gram.
  package init(tenths: Int) { self.tenths = tenths }

  /// Parses `12`, `12.3` or `12.34`, rounded half up to a tenth as in the database, so that totals are sums
  /// of the displayed amounts.
  ///
  /// - Throws: `invalid_number` for text that is not a number, is below 0, or is above 2,000 after rounding.
  package init(parsing text: String) throws(DomainError) {
    let number = try ExactDecimal(parsing: text)
    guard let tenths = number.tenthsRounded, !text.hasPrefix("-") || number == 0 else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is not an amount in grams, 0 or more")
    }
    guard tenths <= Self.most.tenths else {
      throw DomainError(.invalidNumber, "\(text) g is more than \(Self.most.tenths / 10) g")
    }
    self.tenths = Int(tenths)
  }

  /// Creates an amount from a JSON number, or from a JSON string with a number.
  ///
  /// - Throws: `invalid_number` for any other value, a number below 0, or one above 2,000.
  package init(_ value: JSONValue) throws(DomainError) {
    switch value {
    case .number(let number): try self.init(parsing: number.canonicalText)
    case .string(let text): try self.init(parsing: text.trimmingSpaces())
    default: throw DomainError(.invalidNumber, "\(Quoted(value.text)) is not an amount in grams")
    }
  }

  package static func < (left: Grams, right: Grams) -> Bool { left.tenths < right.tenths }

  /// Returns the sum of two amounts.
  package static func + (left: Grams, right: Grams) -> Grams { Grams(tenths: left.tenths + right.tenths) }
}

extension Grams: CustomStringConvertible {
  /// The amount with one decimal: `12.3`.
  package var description: String { "\(tenths / 10).\(abs(tenths % 10))" }
}
