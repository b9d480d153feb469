import Domain

/// Extreme values for the places of a request where the OpenAPI document expects a value.
enum Extreme {
  static let numbers = [
    "-1", "0", "2147483647", "2147483648", "-2147483649", "4294967296", "9007199254740992",
    "9223372036854775807",
    "-9223372036854775808", "9223372036854775808", "1e18", "1e300", "0.5", "4.6449833018609846e-60", "0e-300",
  ]
  static let dates = [
    "infinity", "-infinity", "0001-01-01", "9999-12-31", "10000-01-01", "4713-01-01 BC", "2026-02-30",
  ]
  static let times = [
    "infinity", "-infinity", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z",
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59-23:59", "294277-01-01T00:00:00Z", "2026-06-30T23:59:60Z",
  ]
  static let texts = [
    "", " ", "\u{0}", "\u{200B}", "\u{202E}x", "e\u{301}", "%", "\\", "'; --", "\u{10FFFF}", "-1",
    "2147483648",
    "9223372036854775808", "1e300", "nan", "../..", String(repeating: "9", count: 400),
    String(repeating: "a", count: 40_000),
  ]
  static let ids = ["", "x", "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"]

  /// Returns values for a schema of one value: the extremes of its kind, and one of each other kind.
  static func values(_ schema: JSONObject) -> [JSONValue] {
    let types = schema["type"].map { $0.array ?? [$0] }?.compactMap(\.string) ?? []
    let others: [JSONValue] = [.null, [], [:], true, "x", 1]
    let numbers = numbers.compactMap { (try? ExactDecimal(parsing: $0)).map(JSONValue.number) }
    let texts: [String] =
      switch schema["format"]?.string {
      case "date": Self.dates
      case "date-time": Self.times
      case "uuid": Self.ids
      default: Self.texts
      }
    if types.contains("integer") || types.contains("number") { return numbers + others }
    if types.contains("string") { return texts.map(JSONValue.string) + others }
    return (types.isEmpty ? numbers + texts.map(JSONValue.string) : []) + others
  }

  /// Returns texts for a schema of a value in a path, a query or a header field.
  static func texts(_ schema: JSONObject) -> [String] {
    switch (schema["type"]?.string, schema["format"]?.string) {
    case ("integer", _), ("number", _): numbers + ["", "1.0", "+1", "１", "0x1"]
    case (_, "date"): dates + times
    case (_, "date-time"): times + dates
    case (_, "uuid"): ids + ["\u{0}"]
    case ("array", _): texts(schema["items"]?.object ?? [:])
    default: texts + dates
    }
  }
}

/// The places of a JSON body that have a value of their own.
struct BodyPlaces {
  let root: JSONObject

  /// A name of an object, or the first element of an array.
  enum Step: Hashable {
    case member(String)
    case element
  }

  /// Returns the places of a schema with the schema of each, not deeper than four objects.
  func places(_ schema: JSONObject, _ path: [Step] = []) -> [(path: [Step], schema: JSONObject)] {
    let schema = resolved(schema)
    guard path.count < 6 else { return [(path, schema)] }
    if let items = schema["items"]?.object {
      return [(path, schema)] + places(items, path + [.element])
    }
    guard let properties = schema["properties"]?.object else { return [(path, schema)] }
    return properties.members.flatMap { name, value in
      places(value.object ?? [:], path + [.member(name)])
    } + (path.isEmpty ? [] : [(path, ["type": "object"] as JSONObject)])
  }

  /// Returns the schema that a reference names, or the first of several.
  func resolved(_ schema: JSONObject) -> JSONObject {
    if let name = schema["$ref"]?.string?.split(separator: "/").last {
      return resolved(root["components"]?.object?["schemas"]?.object?[String(name)]?.object ?? [:])
    }
    if let first = schema["anyOf"]?.array?.first?.object { return resolved(first) }
    return schema
  }

  /// Returns a document with a value at a place; what is missing on the way is made.
  func setting(_ value: JSONValue, at path: ArraySlice<Step>, of document: JSONValue) -> JSONValue {
    guard let first = path.first else { return value }
    switch first {
    case .member(let name):
      var object = document.object ?? [:]
      object[name] = setting(value, at: path.dropFirst(), of: object[name] ?? .null)
      return .object(object)
    case .element:
      return .array([setting(value, at: path.dropFirst(), of: document.array?.first ?? .null)])
    }
  }
}
