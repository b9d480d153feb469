package import Domain

/// An instrument reading: exact, finite and never negative.
package struct Reading: Sendable, Hashable {
  /// The number as given.
  package let value: ExactDecimal

  /// Parses a number, or text with a number. `5,5`, `NaN`, `-1` and empty values are refused, never read as
  /// zero.
  ///
  /// - Throws: `missing_fields` for an empty value, `invalid_number` for any other invalid value.
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
      throw DomainError(.invalidNumber, "\(number.text) is negative, but a recording is at least zero")
    }
    value = number
  }
}

extension ExactDecimal {
  /// True if the number is less than zero; a zero with a sign is not.
  package var isBelowZero: Bool { canonicalText.hasPrefix("-") }
}
