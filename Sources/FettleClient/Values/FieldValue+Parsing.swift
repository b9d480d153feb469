extension FieldValue {
  /// Parses JSON text.
  ///
  /// - Throws: ``ClientError`` with the kind `invalidAnswer` and the position of the first wrong byte.
  public init(parsing text: String) throws(ClientError) { try self.init(parsing: Array(text.utf8)) }

  init(parsing bytes: [UInt8]) throws(ClientError) {
    var reader = FieldValueReader(bytes)
    self = try reader.document()
  }
}

/// A parser of JSON (RFC 8259) that keeps numbers as they are written.
private struct FieldValueReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(ClientError) -> FieldValue {
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw refusal("text follows the value") }
    return value
  }

  private mutating func value(depth: Int) throws(ClientError) -> FieldValue {
    guard depth <= 64 else { throw refusal("the value is nested too deeply") }
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"): return .object(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func object(depth: Int) throws(ClientError) -> [String: FieldValue] {
    position += 1
    var members: [String: FieldValue] = [:]
    if take("}") { return members }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw refusal("a name is missing") }
      let name = try string()
      guard take(":") else { throw refusal("a colon is missing") }
      members[name] = try value(depth: depth + 1)
      if take("}") { return members }
      guard take(",") else { throw refusal("a comma or a closing brace is missing") }
    }
  }

  private mutating func array(depth: Int) throws(ClientError) -> [FieldValue] {
    position += 1
    var elements: [FieldValue] = []
    if take("]") { return elements }
    while true {
      elements.append(try value(depth: depth + 1))
      if take("]") { return elements }
      guard take(",") else { throw refusal("a comma or a closing bracket is missing") }
    }
  }

  private mutating func number() throws(ClientError) -> String {
    let start = position
    while let byte = peek, (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard Double(text) != nil else { throw refusal("a value is missing") }
    return text
  }

  private mutating func string() throws(ClientError) -> String {
    position += 1
    let start = position
    while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    var text = bytes[start..<position]
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else { throw refusal("invalid UTF-8") }
        return string
      case UInt8(ascii: "\\"): text.append(contentsOf: try escape())
      case 0..<0x20: throw refusal("a control character in a string")
      default: text.append(byte)
      }
    }
    throw refusal("a string is not closed")
  }

  private mutating func escape() throws(ClientError) -> [UInt8] {
    guard let byte = peek else { throw refusal("a string is not closed") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"): break
    default: throw refusal("an unknown escape")
    }
    var unit = try codeUnit()
    if (0xD800...0xDBFF).contains(unit) {
      guard peek == UInt8(ascii: "\\") else { throw refusal("half a surrogate pair") }
      position += 1
      guard peek == UInt8(ascii: "u") else { throw refusal("half a surrogate pair") }
      position += 1
      let low = try codeUnit()
      guard (0xDC00...0xDFFF).contains(low) else { throw refusal("half a surrogate pair") }
      unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(unit) else { throw refusal("half a surrogate pair") }
    return Array(String(Character(scalar)).utf8)
  }

  private mutating func codeUnit() throws(ClientError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw refusal("four hexadecimal digits are missing")
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }

  private mutating func word(_ word: String, _ value: FieldValue) throws(ClientError) -> FieldValue {
    guard bytes[position...].starts(with: word.utf8) else { throw refusal("a value is missing") }
    position += word.utf8.count
    return value
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private func refusal(_ problem: String) -> ClientError {
    ClientError(.invalidAnswer, "invalid JSON at byte \(position): \(problem)")
  }
}
