/// Decodes types from a ``JSONValue``. Members keep their order, and numbers stay exact.
///
/// A decoder based on dictionaries would lose the order of a workflow's states.
package struct JSONValueDecoder: Decoder {
  package let codingPath: [any CodingKey]
  package let userInfo: [CodingUserInfoKey: Any]
  private let value: JSONValue

  /// Decodes a type from a value.
  ///
  /// - Parameter userInfo: passed to the type's decoding.
  /// - Throws: errors with the path in the value.
  package static func decode<Value: Decodable>(
    _ type: Value.Type,
    from value: JSONValue,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Value {
    try JSONValueDecoder(value, at: [], userInfo: userInfo).decode(type)
  }

  /// Creates a decoder of a value. Errors name the path below `codingPath`.
  package init(
    _ value: JSONValue,
    at codingPath: [any CodingKey],
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) {
    self.userInfo = userInfo
    self.value = value
    self.codingPath = codingPath
  }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = value else { throw mismatch(JSONObject.self) }
    return KeyedDecodingContainer(
      JSONKeyedContainer(object: object, codingPath: codingPath, userInfo: userInfo)
    )
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
    return JSONUnkeyedContainer(elements: elements, codingPath: codingPath, userInfo: userInfo)
  }

  package func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(
      type,
      .init(codingPath: codingPath, debugDescription: "a value of another kind")
    )
  }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
  package func decodeNil() -> Bool { value.isNull }

  package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if Value.self == JSONValue.self, let value = value as? Value { return value }
    if Value.self == ExactDecimal.self, let number = value.number as? Value { return number }
    return try Value(from: self)
  }

  package func decode(_ type: Bool.Type) throws -> Bool {
    guard let bool = value.bool else { throw mismatch(type) }
    return bool
  }

  package func decode(_ type: String.Type) throws -> String {
    guard let text = value.string else { throw mismatch(type) }
    return text
  }

  package func decode(_ type: Double.Type) throws -> Double {
    guard let number = value.number else { throw mismatch(type) }
    return number.approximate
  }

  package func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
  package func decode(_ type: Int.Type) throws -> Int { try integer() }
  package func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  package func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  package func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  package func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  package func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  package func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  package func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  package func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  package func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  private func integer<Value: FixedWidthInteger>() throws -> Value {
    guard let whole = value.number?.integer, let integer = Value(exactly: whole) else {
      throw mismatch(Value.self)
    }
    return integer
  }
}

private struct JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: JSONObject
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]

  var allKeys: [Key] { object.keys.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  // Most payloads consist of these types. They need a nested decoder only to report an error.

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try object[key.stringValue]?.string ?? decoder(key).decode(type)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try object[key.stringValue]?.bool ?? decoder(key).decode(type)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try object[key.stringValue]?.number?.integer.flatMap(Int.init(exactly:)) ?? decoder(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    JSONValueDecoder(object["super"] ?? .null, at: codingPath + [NamedKey("super")], userInfo: userInfo)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> JSONValueDecoder {
    guard let value = object[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: codingPath, debugDescription: "the key is missing")
      )
    }
    return JSONValueDecoder(value, at: codingPath + [key], userInfo: userInfo)
  }
}

private struct JSONUnkeyedContainer: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]
  var currentIndex = 0

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try current().decodeNil() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try current().decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try current().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try current().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try current()
    currentIndex += 1
    return decoder
  }

  private func current() throws -> JSONValueDecoder {
    let path = codingPath + [NamedKey(intValue: currentIndex)]
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONValue.self,
        .init(codingPath: path, debugDescription: "the list ends here")
      )
    }
    return JSONValueDecoder(elements[currentIndex], at: path, userInfo: userInfo)
  }
}
