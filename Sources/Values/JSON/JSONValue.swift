/// A JSON value. Numbers are exact, and members keep their order.
package enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(ExactDecimal)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  /// True if the value is null.
  package var isNull: Bool { self == .null }

  /// The text; nil if the value is not a string.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number; nil if the value is not a number.
  package var number: ExactDecimal? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The truth value; nil if the value is not a Boolean.
  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The object; nil if the value is not an object.
  package var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The elements; nil if the value is not an array.
  package var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// Returns a number from an integer.
  package static func integer(_ value: some BinaryInteger) -> JSONValue { .number(ExactDecimal(value)) }

  /// Returns an array of strings.
  package static func strings(_ values: some Sequence<String>) -> JSONValue {
    .array(values.map(JSONValue.string))
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates null from a literal.
  package init(nilLiteral: ()) { self = .null }

  /// Creates a truth value from a literal.
  package init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates a number from an integer literal.
  package init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates text from a literal.
  package init(stringLiteral value: String) { self = .string(value) }

  /// Creates an array from a literal.
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates an object from a literal, with its members in order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}
