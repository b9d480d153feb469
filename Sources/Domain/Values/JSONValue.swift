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

  /// True if the value does not satisfy a required field: null, or text without a visible character.
  package var isBlank: Bool {
    switch self {
    case .null: true
    case .string(let text): !text.isVisible
    default: false
    }
  }

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

extension JSONValue: Codable {
  /// Decodes any value.
  ///
  /// A decoder of another format may convert numbers to doubles; ``init(parsing:)`` keeps them exact.
  package init(from decoder: any Decoder) throws {
    if let object = try? JSONObject(from: decoder) {  // not an object: other kinds are tried below
      self = .object(object)
      return
    }
    if var list = try? decoder.unkeyedContainer() {  // not an array: other kinds are tried below
      var elements: [JSONValue] = []
      while !list.isAtEnd { elements.append(try list.decode(JSONValue.self)) }
      self = .array(elements)
      return
    }
    let scalar = try decoder.singleValueContainer()
    if scalar.decodeNil() {
      self = .null
    } else if let value = try? scalar.decode(Bool.self) {  // not a Boolean: other kinds are tried below
      self = .bool(value)
    } else if let value = try? scalar.decode(Int64.self) {  // not an integer: other kinds are tried below
      self = .integer(value)
    } else if let value = try? scalar.decode(Double.self), value.isFinite {  // nan of YAML becomes text
      self = .number(try ExactDecimal(parsing: String(describing: value)))
    } else {
      self = .string(try scalar.decode(String.self))
    }
  }

  /// Encodes the value. Numbers with decimals become doubles, because encoders have no exact decimals.
  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object):
      try object.encode(to: encoder)
    case .array(let elements):
      var list = encoder.unkeyedContainer()
      for element in elements { try list.encode(element) }
    case .null:
      var scalar = encoder.singleValueContainer()
      try scalar.encodeNil()
    case .bool(let value):
      var scalar = encoder.singleValueContainer()
      try scalar.encode(value)
    case .string(let text):
      var scalar = encoder.singleValueContainer()
      try scalar.encode(text)
    case .number(let number):
      var scalar = encoder.singleValueContainer()
      if let integer = number.integer {
        try scalar.encode(integer)
      } else {
        try scalar.encode(number.approximate)
      }
    }
  }
}
