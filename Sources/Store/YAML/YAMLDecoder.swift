internal import Domain

/// Decodes types from a YAML document. Members keep their order.
struct YAMLDecoder: Decoder, SingleValueDecodingContainer {
  let node: YAMLNode
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = node.content else { throw mismatch(JSONObject.self) }
    return KeyedDecodingContainer(YAMLKeyedContainer(object: object, decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let elements) = node.content else { throw mismatch([JSONValue].self) }
    return YAMLUnkeyedContainer(elements: elements, decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool {
    guard case .scalar(let text, isPlain: true) = node.content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard let scalar = type as? any YAMLScalar.Type else { return try Value(from: self) }
    guard case .scalar(let text, let isPlain) = node.content,
      let value = scalar.init(yaml: text, isPlain: isPlain) as? Value
    else { throw mismatch(type) }
    return value
  }

  /// Returns the decoder of a value inside this one.
  fileprivate func decoder(_ node: YAMLNode, _ key: any CodingKey) -> YAMLDecoder {
    YAMLDecoder(node: node, codingPath: codingPath + [key], userInfo: userInfo)
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "a value of another kind"))
  }
}

private struct YAMLKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: YAMLObject
  let decoder: YAMLDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.key) } }

  func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try inner(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try inner(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try inner(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inner(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try inner(NamedKey("super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }

  private func inner(_ key: any CodingKey) throws -> YAMLDecoder {
    guard let node = object[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: codingPath, debugDescription: "the key is missing")
      )
    }
    return decoder.decoder(node, key)
  }
}

private struct YAMLUnkeyedContainer: UnkeyedDecodingContainer {
  let elements: [YAMLNode]
  let decoder: YAMLDecoder
  private(set) var currentIndex = 0

  init(elements: [YAMLNode], decoder: YAMLDecoder) {
    self.elements = elements
    self.decoder = decoder
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    let isNil = try current().decodeNil()
    if isNil { currentIndex += 1 }
    return isNil
  }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try advance { try $0.decode(type) }
  }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try advance { try $0.container(keyedBy: type) }
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try advance { try $0.unkeyedContainer() }
  }
  mutating func superDecoder() throws -> any Decoder { try advance { $0 } }

  /// Decodes the current element, and goes on to the next one.
  private mutating func advance<Value>(_ body: (YAMLDecoder) throws -> Value) throws -> Value {
    let value = try body(current())
    currentIndex += 1
    return value
  }

  private func current() throws -> YAMLDecoder {
    let key = NamedKey(intValue: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONValue.self,
        .init(codingPath: codingPath + [key], debugDescription: "the list ends here")
      )
    }
    return decoder.decoder(elements[currentIndex], key)
  }
}
