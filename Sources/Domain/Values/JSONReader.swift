extension JSONValue {
  /// Parses JSON text.
  ///
  /// Text that two parsers may read differently is not accepted: a repeated name, half a surrogate pair, NUL,
  /// nesting beyond 64 levels, or text after the value.
  ///
  /// - Throws: `invalid_json` with the byte offset, also for text beyond the limits; `invalid_number` for a
  ///   number that ``ExactDecimal`` rejects.
  package init(parsing text: String, limits: DocumentLimits = .data) throws(DomainError) {
    var reader = JSONReader(text, limits)
    self = try reader.document()
  }
}

/// A strict parser of JSON text (RFC 8259).
struct JSONReader {
  private let bytes: [UInt8]
  private let limits: DocumentLimits
  private var position = 0
  private var nodes = 0

  init(_ text: String, _ limits: DocumentLimits) {
    bytes = Array(text.utf8)
    self.limits = limits
  }

  mutating func document() throws(DomainError) -> JSONValue {
    guard bytes.count <= limits.bytes else {
      throw refusal("the text is larger than \(limits.bytes / 1_000_000) MB")
    }
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw refusal("text follows the value") }
    return value
  }

  private mutating func value(depth: Int) throws(DomainError) -> JSONValue {
    guard depth <= limits.depth else { throw refusal("nested too deeply") }
    try count()
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

  private mutating func object(depth: Int) throws(DomainError) -> JSONObject {
    position += 1
    var object = JSONObject()
    if take("}") { return object }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw refusal("a name in quotation marks is missing") }
      try count()
      let key = try string()
      guard object[key] == nil else { throw refusal("\(Quoted(key)) occurs twice") }
      guard take(":") else { throw refusal("a colon is missing") }
      object[key] = try value(depth: depth + 1)
      if take("}") { return object }
      guard take(",") else { throw refusal("a comma or closing brace is missing") }
    }
  }

  private mutating func array(depth: Int) throws(DomainError) -> [JSONValue] {
    position += 1
    var elements: [JSONValue] = []
    if take("]") { return elements }
    while true {
      elements.append(try value(depth: depth + 1))
      if take("]") { return elements }
      guard take(",") else { throw refusal("a comma or closing bracket is missing") }
    }
  }

  /// Counts a value or a name.
  private mutating func count() throws(DomainError) {
    nodes += 1
    guard nodes <= limits.nodes else { throw refusal("there are more than \(limits.nodes) values") }
  }

  private mutating func number() throws(DomainError) -> ExactDecimal {
    let start = position
    while let byte = peek, (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) { position += 1 }
    guard position > start else { throw refusal("a value is missing") }
    return try ExactDecimal(parsing: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func string() throws(DomainError) -> String {
    position += 1
    let start = position
    while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    // Most strings have no escapes, so the next byte ends them.
    var text = bytes[start..<position]
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text.append(contentsOf: try escape())
      case 0..<0x20: throw refusal("a control character in a string")
      default: text.append(byte)
      }
    }
    throw refusal("a string is not closed")
  }

  private mutating func escape() throws(DomainError) -> [UInt8] {
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
      guard take("\\", skippingSpace: false), take("u", skippingSpace: false) else {
        throw refusal("half a surrogate pair")
      }
      let low = try codeUnit()
      guard (0xDC00...0xDFFF).contains(low) else { throw refusal("half a surrogate pair") }
      unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }
    guard unit != 0 else { throw refusal("NUL cannot be stored in text") }
    guard let scalar = Unicode.Scalar(unit) else { throw refusal("half a surrogate pair") }
    return Array(String(Character(scalar)).utf8)
  }

  private mutating func codeUnit() throws(DomainError) -> UInt32 {
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

  private mutating func word(_ word: String, _ value: JSONValue) throws(DomainError) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw refusal("a value is missing") }
    position += word.utf8.count
    return value
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Unicode.Scalar, skippingSpace: Bool = true) -> Bool {
    if skippingSpace { skipSpace() }
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private func refusal(_ problem: String) -> DomainError {
    DomainError(
      .invalidJSON,
      "byte \(position): \(problem)",
      details: ["offset": .integer(position)]
    )
  }
}
