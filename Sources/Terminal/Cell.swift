/// One value of a table, independent of the output format.
package indirect enum Cell: Sendable, Equatable {
  /// No value.
  case null
  /// Text, which may contain control characters and formulas.
  case string(String)
  /// A number as text, so that decimals are not rounded.
  case number(String)
  /// True or false.
  case bool(Bool)
  /// Several values.
  case list([Cell])
  /// Named values, in output order.
  case nested([Field])

  /// One named value of a nested cell.
  package struct Field: Sendable, Equatable {
    /// The stable snake_case key.
    package let key: String
    /// The value.
    package let value: Cell

    /// Creates a named value.
    package init(_ key: String, _ value: Cell) {
      self.key = key
      self.value = value
    }
  }

  /// Returns a whole number as a cell.
  package static func integer(_ value: some BinaryInteger) -> Cell { .number(String(value)) }

  /// Returns text as a cell; null for nil.
  package static func optional(_ text: String?) -> Cell { text.map { .string($0) } ?? .null }
}

extension Cell: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
}

extension Cell {
  /// The value as plain text for filters, sorting and CSV: null is empty, lists and nested values are JSON.
  package var plainText: String {
    switch self {
    case .null: ""
    case .string(let text), .number(let text): text
    case .bool(let value): value ? "true" : "false"
    case .list, .nested: JSONText.encode(self)
    }
  }
}
