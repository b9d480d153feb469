package import Domain

/// A condition on one column of a list, as the user writes it: `estimated_hours>=2`, `assigned_to is null`.
package struct RecordCondition: Sendable, Hashable {
  /// The comparison operator.
  package enum Comparison: String, Sendable, CaseIterable {
    case isNotNull = "is not null"
    case isNull = "is null"
    case isNotIn = "not in"
    case isIn = "in"
    case notEqual = "!="
    case atMost = "<="
    case atLeast = ">="
    case lacks = "!~"
    case contains = "~"
    case equal = "="
    case less = "<"
    case greater = ">"
  }

  /// The column of the view.
  package let column: String
  /// The comparison.
  package let comparison: Comparison
  /// The operands: several for `in` and `not in`, none for `is null` and `is not null`, otherwise one.
  package let values: [String]

  /// Creates a condition in code.
  package init(_ column: String, _ comparison: Comparison, _ values: String...) {
    self.init(column, comparison, values)
  }

  /// Creates a condition with a list of values.
  package init(_ column: String, _ comparison: Comparison, _ values: [String]) {
    self.column = column
    self.comparison = comparison
    self.values = values
  }

  /// Parses a condition. `column=` without a value becomes `is null`, and `column!=` becomes `is not null`.
  ///
  /// - Throws: `invalid_input` if the text is not a condition.
  package init(parsing text: String) throws(DomainError) {
    let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let rest = String(text.dropFirst(name.count)).trimmingSpaces()
    let found = Comparison.allCases.first { comparison in
      let word = comparison.rawValue
      guard rest.lowercased().hasPrefix(word) else { return false }
      // The words `in` and `not in` must be separate: `status in a,b`.
      return !(word.last?.isLetter ?? false)
        || text.dropFirst(name.count).first == " " && [nil, " "].contains(rest.dropFirst(word.count).first)
    }
    // A column does not begin with a digit, so `1=1` is not a condition.
    guard let initial = name.first, !initial.isNumber, let found else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not a condition",
        hint: "write column=value, or use != < <= > >= ~ (contains), is null, is not null, in a,b"
      )
    }
    let value = String(rest.dropFirst(found.rawValue.count)).trimmingSpaces()
    switch found {
    case .isNull, .isNotNull:
      guard value.isEmpty else {
        throw DomainError(.invalidInput, "\(Quoted(text)): \(found.rawValue) takes no value")
      }
      self.init(String(name), found, [])
    case .isIn, .isNotIn:
      let values = value.split(separator: ",").map { String($0).trimmingSpaces() }
      guard !values.isEmpty else {
        throw DomainError(.invalidInput, "\(Quoted(text)) contains no value", hint: "write \(name) in a,b")
      }
      self.init(String(name), found, values)
    case .equal where value.isEmpty: self.init(String(name), .isNull, [])
    case .notEqual where value.isEmpty: self.init(String(name), .isNotNull, [])
    default: self.init(String(name), found, [value])
    }
  }
}
