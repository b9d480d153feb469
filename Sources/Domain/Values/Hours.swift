/// An amount of work in hours, exact to a hundredth.
package struct Hours: Sendable, Hashable, Comparable {
  /// The amount in hundredths of an hour.
  package let hundredths: Int

  /// Zero hours.
  package static let zero = Hours(hundredths: 0)

  /// - Parameter hundredths: hundredths of an hour.
  package init(hundredths: Int) { self.hundredths = hundredths }

  /// Parses `8`, `8.5` or `8.25`; a third decimal is refused rather than rounded.
  package init(parsing text: String) throws(DomainError) {
    guard let value = try ExactDecimal(parsing: text).hundredths, abs(value) <= 999_999_999 else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is not an amount of hours to 0.01")
    }
    hundredths = Int(value)
  }

  /// The time between two instants, rounded to the nearest hundredth, halves away from zero as
  /// `round(numeric)` does in PostgreSQL.
  package init(from start: Instant, to end: Instant) {
    let microseconds = start.microseconds(until: end)
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 36_000_000)
    let isHalfOrMore = abs(rest) >= 18_000_000
    hundredths = Int(whole) + (isHalfOrMore ? (microseconds < 0 ? -1 : 1) : 0)
  }

  package static func < (left: Hours, right: Hours) -> Bool { left.hundredths < right.hundredths }

  /// The sum of two amounts.
  package static func + (left: Hours, right: Hours) -> Hours {
    Hours(hundredths: left.hundredths + right.hundredths)
  }

  /// The difference of two amounts.
  package static func - (left: Hours, right: Hours) -> Hours {
    Hours(hundredths: left.hundredths - right.hundredths)
  }
}

extension Hours: CustomStringConvertible, Codable {
  /// The amount with two decimals: `8.00`.
  package var description: String {
    let (whole, rest) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
    return "\(hundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Reads a number.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: ExactDecimal(from: decoder).text)
  }

  /// Writes the amount as a string, so that no reader rounds it.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
