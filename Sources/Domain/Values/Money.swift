/// An amount of money, exact to a hundredth of the currency's unit.
package struct Money: Sendable, Hashable {
  /// The amount in hundredths of the currency's unit.
  package let hundredths: Int64
  /// The ISO 4217 code, such as `EUR`; nil for the company's currency.
  package let currency: String?

  /// Parses an amount such as `1250.00`, of a magnitude below 10,000,000,000.
  ///
  /// - Parameter currency: three capital letters, such as `EUR`; nil for the company's currency.
  /// - Throws: `invalid_number`, also for a third decimal: amounts are not rounded. `invalid_input` for
  ///   another currency.
  package init(parsing text: String, currency: String? = nil) throws(DomainError) {
    guard let value = try ExactDecimal(parsing: text).hundredths, abs(value) < 1_000_000_000_000 else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is not an amount of money with at most two decimals")
    }
    if let currency, currency.utf8.count != 3 || !currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
      throw DomainError(.invalidInput, "\(Quoted(currency)) is not a currency such as EUR")
    }
    hundredths = value
    self.currency = currency
  }
}

extension Money: CustomStringConvertible {
  /// The amount with two decimals and without thousands separators, such as `1250.00`.
  package var amount: String {
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    return "\(hundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// The amount, followed by its currency if given: `1250.00 EUR`.
  package var description: String { currency.map { "\(amount) \($0)" } ?? amount }
}

extension Money: Codable {
  /// Decodes an amount in the company's currency.
  ///
  /// - Throws: `invalid_number`.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: ExactDecimal(from: decoder).text)
  }

  /// Encodes the amount, without its currency, as a string, so that no parser rounds it.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(amount)
  }
}
