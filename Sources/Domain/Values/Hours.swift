/// An amount of work in hours, exact to 0.01.
package struct Hours: Sendable, Hashable, Comparable {
  /// The amount in hundredths of an hour.
  package let hundredths: Int

  /// Zero hours.
  package static let zero = Hours(hundredths: 0)

  /// Creates an amount.
  ///
  /// - Parameter hundredths: the amount in hundredths of an hour.
  package init(hundredths: Int) { self.hundredths = hundredths }

  /// Parses an amount such as `8`, `8.5` or `8.25`, at most 9,999,999.99.
  ///
  /// - Throws: `invalid_number`, also for a third decimal: amounts are not rounded.
  package init(parsing text: String) throws(DomainError) {
    guard let value = try ExactDecimal(parsing: text).hundredths, abs(value) <= 999_999_999 else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is not a number of hours with at most two decimals")
    }
    hundredths = Int(value)
  }

  /// Creates the amount between two instants, negative if the end comes first.
  ///
  /// It is rounded to 0.01 hours, halves away from zero as PostgreSQL's `round(numeric)` does.
  package init(from start: Instant, to end: Instant) {
    let microseconds = start.microseconds(until: end)
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 36_000_000)
    let isHalfOrMore = abs(rest) >= 18_000_000
    hundredths = Int(whole) + (isHalfOrMore ? (microseconds < 0 ? -1 : 1) : 0)
  }

  package static func < (left: Hours, right: Hours) -> Bool { left.hundredths < right.hundredths }

  /// Returns the sum of two amounts.
  package static func + (left: Hours, right: Hours) -> Hours {
    Hours(hundredths: left.hundredths + right.hundredths)
  }

  /// Returns the difference of two amounts.
  package static func - (left: Hours, right: Hours) -> Hours {
    Hours(hundredths: left.hundredths - right.hundredths)
  }
}

extension Hours: CustomStringConvertible, Codable {
  /// The amount with two decimals, such as `8.00`.
  package var description: String {
    let (whole, rest) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
    return "\(hundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Decodes a number, or a string that contains one.
  ///
  /// - Throws: `invalid_number`.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: ExactDecimal(from: decoder).text)
  }

  /// Encodes the amount as a string, so that no parser rounds it.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
