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

extension JSONObject: Codable {
  /// Decodes a keyed container, in the decoder's order of keys.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: NamedKey.self)
    self.init()
    for key in container.allKeys { self[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
  }

  /// Encodes the members as a keyed container, in order.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NamedKey.self)
    for (key, value) in members { try container.encode(value, forKey: NamedKey(key)) }
  }
}
