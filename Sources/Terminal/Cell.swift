/// One value of a table, independent of the output format.
package indirect enum Cell: Sendable, Equatable {
  /// No value.
  case null
  /// Text with any content, including hostile content.
  case string(String)
  /// A number as exact text, so that decimals are never rounded.
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
    /// Its value.
    package let value: Cell

    /// A named value.
    package init(_ key: String, _ value: Cell) {
      self.key = key
      self.value = value
    }
  }

  /// A whole number.
  package static func integer(_ value: some BinaryInteger) -> Cell { .number(String(value)) }

  /// Text, or no value.
  package static func optional(_ text: String?) -> Cell { text.map { .string($0) } ?? .null }
}

extension Cell: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
}

extension Cell {
  /// The value as plain text for filters and CSV: lists and nested values as JSON.
  package var plainText: String {
    switch self {
    case .null: ""
    case .string(let text), .number(let text): text
    case .bool(let value): value ? "true" : "false"
    case .list, .nested: JSONText.encode(self)
    }
  }
}
