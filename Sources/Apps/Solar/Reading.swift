package import Domain

/// A number that an instrument showed: exact, finite and never negative.
package struct Reading: Sendable, Hashable {
  /// The number as it was given.
  package let value: ExactDecimal

  /// Reads a number or the text of one; `5,5`, `NaN`, `-1` and nothing at all are refused rather than taken for
  /// zero.
  ///
  /// - Throws: `missing_fields` for nothing, `invalid_number` for what is no reading.
  package init(_ json: JSONValue) throws(DomainError) {
    guard !json.isBlank else {
      throw DomainError(.missingFields, "the value is missing", details: ["fields": ["value"]])
    }
    let number: ExactDecimal
    switch json {
    case .number(let given): number = given
    case .string(let text): number = try ExactDecimal(parsing: text.trimmingSpaces())
    default: throw DomainError(.invalidNumber, "the value is not a number")
    }
    guard !number.isBelowZero else {
      throw DomainError(.invalidNumber, "\(number.text) is below zero, which no recording is")
    }
    value = number
  }
}

extension ExactDecimal {
  /// Whether the number is less than zero; a zero with a sign is not.
  package var isBelowZero: Bool { canonicalText.hasPrefix("-") }
}
