package import Domain
internal import FoundationEssentials
internal import Postgres

/// The kind of values that a column accepts, as far as values are checked before PostgreSQL reads them.
package indirect enum ColumnKind: Sendable, Hashable {
  case text, date, time, instant, boolean, id, json, real
  /// A decimal with at most `whole` digits before the point and `decimals` behind it; nil for no limit.
  case numeric(whole: Int?, decimals: Int?)
  /// An integer with this number of bits, without the sign.
  case integer(bits: Int)
  /// An array of values of one kind.
  case array(ColumnKind)
  /// A type that only PostgreSQL checks.
  case other

  /// Creates the kind of an SQL type, such as `numeric(12,2)` or `text[]`.
  package init(_ type: String) {
    if type.hasSuffix("[]") {
      self = .array(ColumnKind(String(type.dropLast(2))))
      return
    }
    // Handles `timestamp(3) with time zone` and `numeric(12,2)` alike.
    let words = type.split { $0 == " " || $0 == "(" || $0 == ")" }
    switch words.first {
    case "text", "character", "varchar", "citext": self = .text
    case "date": self = .date
    case "time": self = type.hasSuffix("with time zone") ? .other : .time
    case "timestamp": self = type.hasSuffix("with time zone") ? .instant : .other
    case "boolean": self = .boolean
    case "uuid": self = .id
    case "json", "jsonb": self = .json
    case "real", "double": self = .real
    case "smallint": self = .integer(bits: 15)
    case "integer": self = .integer(bits: 31)
    case "bigint": self = .integer(bits: 63)
    case "numeric":
      let digits = words.dropFirst().first?.split(separator: ",").compactMap { Int($0) } ?? []
      // Without a scale, as in `numeric(5)`, whole numbers.
      let decimals = digits.isEmpty ? nil : digits.count > 1 ? digits[1] : 0
      self = .numeric(whole: digits.first.map { $0 - (decimals ?? 0) }, decimals: decimals)
    default: self = .other
    }
  }

  /// The SQL type to which a text is cast, such as `numeric` for `numeric(12,2)`: PostgreSQL checks the limits of the
  /// column when it assigns the value. Nil for kinds that may be several types.
  var base: SQL? {
    switch self {
    case .text: "text"
    case .date: "date"
    case .time: "time"
    case .instant: "timestamptz"
    case .boolean: "boolean"
    case .id: "uuid"
    case .numeric: "numeric"
    case .integer: "bigint"
    case .json, .real, .array, .other: nil
    }
  }

  /// The most digits behind the point; nil for no limit, and for a kind that holds no numbers.
  package var decimals: Int? {
    switch self {
    case .integer: 0
    case .numeric(_, let decimals): decimals
    default: nil
    }
  }

  /// The kind without a limit of decimals, for a number that is rounded.
  package var rounded: ColumnKind {
    if case .numeric(let whole, _) = self { .numeric(whole: whole, decimals: nil) } else { self }
  }

  /// True if the kind has an order for `<` and `>`.
  package var isOrdered: Bool {
    switch self {
    case .text, .date, .time, .instant, .real, .numeric, .integer: true
    case .boolean, .id, .json, .array, .other: false
    }
  }

  /// True if a value may be an array or an object in JSON. A type that only PostgreSQL checks may be either.
  package var isDocument: Bool {
    switch self {
    case .json, .array, .other: true
    case .text, .date, .time, .instant, .boolean, .id, .real, .numeric, .integer: false
    }
  }

  /// Checks that a text is a value of the kind, and returns it in PostgreSQL's format.
  ///
  /// - Throws: the code for the kind, such as `invalid_number`, with the text in the message.
  package func reading(_ text: String) throws(DomainError) -> String {
    switch self {
    case .text:
      guard !text.utf8.contains(0) else {
        throw DomainError(.invalidInput, "the text holds a NUL character")
      }
    case .date: _ = try LocalDate(parsing: text)
    case .time: try Self.checkTime(text)
    case .instant: _ = try Instant(parsing: Self.standard(text))
    case .boolean:
      guard Self.truth(of: text) != nil else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(text)) is neither true nor false",
          hint: "write true or false"
        )
      }
    case .id:
      guard UUID(text: text) != nil else {
        throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
      }
    case .json: _ = try JSONValue(parsing: text, limits: .column)
    case .real: _ = try ExactDecimal(parsing: text)
    case .numeric(let whole, _): try Self.checkNumber(text, whole: whole)
    case .integer(let bits): try Self.checkInteger(text, bits: bits)
    case .array(let element): return try Self.arrayLiteral(text, of: element)
    case .other: break
    }
    return text
  }

  /// Checks that a text is a value of the kind that a record may store, and returns it in PostgreSQL's
  /// format.
  ///
  /// - Throws: as ``reading(_:)``, for dates and instants outside the years of ``RecordedYears``, and for a number with
  ///   more decimals than the column keeps, which PostgreSQL would round.
  package func storing(_ text: String) throws(DomainError) -> String {
    switch self {
    case .date: try RecordedYears.require(try LocalDate(parsing: text))
    case .instant: try RecordedYears.require(try Instant(parsing: Self.standard(text)))
    case .numeric(_, let decimals?):
      _ = try reading(text)
      let plain =
        text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
        ? try ExactDecimal(parsing: text).canonicalText : text
      _ = try ColumnNotation.fitting(plain, decimals: decimals, as: text)
    case .array(let element) where element == .date || element == .instant:
      for value in try JSONValue(parsing: text).array ?? [] where !value.isNull {
        _ = try element.storing(value.displayText)
      }
      return try reading(text)
    default: return try reading(text)
    }
    return text
  }

  /// Returns the value of a text in a boolean column; nil if it has none.
  package static func truth(of text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "t", "yes", "1": true
    case "false", "f", "no", "0": false
    default: nil
    }
  }

  private static func checkNumber(_ text: String, whole: Int?) throws(DomainError) {
    let number = try ExactDecimal(parsing: text)
    guard let whole else { return }
    let digits = number.text.utf8.drop { $0 == UInt8(ascii: "-") }.prefix { $0 != UInt8(ascii: ".") }
      .drop { $0 == UInt8(ascii: "0") }.count
    guard digits <= whole else { throw DomainError(.invalidNumber, "\(Quoted(text)) is too large") }
  }

  private static func checkInteger(_ text: String, bits: Int) throws(DomainError) {
    guard let number = Int64(text) else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is not a whole number", hint: "write it like 3")
    }
    guard bits == 63 || (number >= -(1 << bits) && number < 1 << bits) else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is too large")
    }
  }

  /// Converts a JSON array to PostgreSQL's array format: `{"a","b"}`.
  private static func arrayLiteral(_ text: String, of element: ColumnKind) throws(DomainError) -> String {
    guard let values = try JSONValue(parsing: text).array else {
      throw DomainError(.invalidJSON, "\(Quoted(text)) is not a list", hint: #"write it like ["a", "b"]"#)
    }
    var items: [String] = []
    for value in values {
      guard !value.isNull else {
        items.append("null")
        continue
      }
      var quoted = "\""
      for scalar in try element.reading(value.displayText).unicodeScalars {
        if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
        quoted.unicodeScalars.append(scalar)
      }
      items.append(quoted + "\"")
    }
    return "{\(items.joined(separator: ","))}"
  }

  /// Checks a time of day, with or without the seconds that PostgreSQL writes.
  private static func checkTime(_ text: String) throws(DomainError) {
    let bytes = Array(text.utf8)
    let seconds = bytes.count == 8 && bytes[5] == UInt8(ascii: ":") ? Int(text.suffix(2)) : nil
    _ = try LocalTime(parsing: seconds.map { (0..<60).contains($0) } == true ? String(text.prefix(5)) : text)
  }

  /// Writes the offset of PostgreSQL's format `2026-03-28 21:00:00+00` as in RFC 3339.
  private static func standard(_ text: String) -> String {
    var bytes = Array(text.utf8)
    let sign = bytes.count - 3
    if sign > 10, bytes[sign] == UInt8(ascii: "+") || bytes[sign] == UInt8(ascii: "-") {
      bytes += Array(":00".utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
