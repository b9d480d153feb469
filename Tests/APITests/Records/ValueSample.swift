import Domain
import TestTools

/// Random values for the columns of ``ValuesApp``: ordinary ones, the extremes of each kind, and some that are refused.
struct ValueSample {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// The columns and how their values are made.
  private static let kinds: [(column: String, kind: Kind)] = [
    ("exact", .number), ("amount", .number), ("ratio", .number), ("small", .number), ("whole", .integer),
    ("count", .integer), ("flag", .flag), ("day", .date), ("at", .instant), ("clock", .time),
    ("tags", .list(.text)), ("days", .list(.date)), ("doc", .document), ("note", .text),
  ]

  private indirect enum Kind: Sendable {
    case number, integer, flag, date, instant, time, document, text
    case list(Kind)
  }

  static let numbers = [
    "0", "-0", "0.0", "0e300", "0e-300", "1", "0.1", "4.6449833018609846e-60", "1e-308", "-1e-307", "1e308",
    "1.7976931348623157e308", "5e-324", "1e-45", "3.4e38", "3.5e38",
    "123456789012345678901234567890.123456789",
    "9999999999.99", "9999999999.995", "9223372036854775807", "9223372036854775808", "1e22",
    "1.00000000000000000000000000000000000000000000000000000000000",
    "0.000000000000000000000000000000000000001",
    "3.141592653589793238462643383279502884197169399375105820974944592", "1E+2", "1e-372", "10e-371",
    "0e-372",
  ]
  static let integers = [
    "0", "1", "-1", "2147483647", "2147483648", "-2147483648", "-2147483649", "9223372036854775807",
    "-9223372036854775808", "9223372036854775808", "1e3", "1.0", "1e18", "1e19",
  ]
  static let dates = [
    "2026-02-28", "2024-02-29", "2025-02-29", "1900-01-01", "0001-01-01", "9999-12-31", "10000-01-01",
    "infinity",
    "-infinity", "4713-01-01 BC", "0044-03-15 BC", "today", "epoch", "2026-1-1",
  ]
  static let instants = [
    "2026-03-29T02:30:00Z", "2026-03-29T02:30:00.123456+14:00", "2026-12-31T23:59:59.999999-12:00",
    "infinity",
    "-infinity", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-03-29 02:30:00+00",
    "2026-03-29T24:00:00Z",
    "0044-03-15T00:00:00Z BC", "now",
  ]
  static let times = ["00:00", "23:59", "24:00", "23:59:59", "12:00:60", "allballs"]
  static let texts = [
    "plain", "", " ", "\u{200B}", "\u{FEFF}", "\u{202E}live", "e\u{301}", "\u{E9}",
    "\u{1F468}\u{200D}\u{1F469}",
    "\u{10FFFF}", "\u{FFFE}", "\u{FFFF}", "\u{0001}", "\u{7F}", "\u{85}", "\u{2028}", "\"\\/", "{\"a\": 1}",
    "\u{1E9E}",
    "\u{AC00}\u{1100}\u{1161}", "a\r\nb\tc", "\u{0}", "\u{D7FF}\u{E000}", "＝1+1", "null",
  ]

  /// Returns fields with values for some columns.
  mutating func fields() -> JSONObject {
    var fields = JSONObject()
    for (column, kind) in Self.kinds where Int.random(in: 0..<3, using: &random) > 0 {
      fields[column] = value(kind)
    }
    return fields
  }

  /// Returns a request's body of one column, so that a refusal of one value hides no other.
  mutating func field() -> JSONObject {
    let (column, kind) = pick(Self.kinds)
    return [column: value(kind)]
  }

  private mutating func value(_ kind: Kind) -> JSONValue {
    switch kind {
    case .number: number(pick(Self.numbers))
    case .integer: number(pick(Self.integers))
    case .flag: .bool(Bool.random(using: &random))
    case .date: .string(pick(Self.dates))
    case .instant: .string(pick(Self.instants))
    case .time: .string(pick(Self.times))
    case .text: .string(pick(Self.texts))
    case .list(let kind): .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(kind) })
    case .document: document(depth: Int.random(in: 0...3, using: &random))
    }
  }

  private mutating func document(depth: Int) -> JSONValue {
    guard depth > 0 else {
      return switch Int.random(in: 0..<4, using: &random) {
      case 0: number(pick(Self.numbers))
      case 1: .bool(true)
      case 2: deep(pick([1, 46, 47, 48, 49, 60]))
      default: .string(pick(Self.texts))
      }
    }
    if Bool.random(using: &random) {
      return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in document(depth: depth - 1) })
    }
    // Names in any order, some of which Unicode takes for equal.
    return .object(
      JSONObject(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in (pick(Self.texts), document(depth: depth - 1))
        }
      )
    )
  }

  private func deep(_ levels: Int) -> JSONValue {
    (0..<levels).reduce(1) { value, level in level.isMultiple(of: 2) ? [value] : ["k": value] }
  }

  /// A number as it is written; null for one that no request can carry.
  private func number(_ text: String) -> JSONValue {
    (try? ExactDecimal(parsing: text)).map { .number($0) } ?? .null
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }
}
