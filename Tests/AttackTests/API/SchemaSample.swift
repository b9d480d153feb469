import API
import Domain

/// The smallest JSON that fits a schema of the document.
struct SchemaSample {
  /// The document.
  let root: JSONObject
  /// The value of every id.
  let id: String

  /// Returns a value: required members only, and the first of an enumeration.
  func value(_ schema: JSONObject) -> JSONValue {
    if let name = schema["$ref"]?.string?.split(separator: "/").last,
      let target = root["components"]?.object?["schemas"]?.object?[String(name)]?.object
    {
      return value(target)
    }
    if let first = schema["enum"]?.array?.first { return first }
    if let alternatives = schema["anyOf"]?.array, let first = alternatives.first?.object {
      return value(first)
    }
    switch schema["type"]?.string ?? schema["type"]?.array?.first?.string ?? "object" {
    case "string": return .string(text(schema))
    case "integer", "number": return schema["minimum"] ?? 1
    case "boolean": return false
    case "array": return schema["items"]?.object.map { .array([value($0)]) } ?? []
    default:
      let properties = schema["properties"]?.object ?? [:]
      let required = schema["required"]?.array?.compactMap(\.string) ?? []
      return .object(JSONObject(required.map { ($0, value(properties[$0]?.object ?? [:])) }))
    }
  }

  private func text(_ schema: JSONObject) -> String {
    switch schema["format"]?.string {
    case "uuid": id
    case "date": "2026-11-23"
    case "date-time": "2026-11-23T10:00:00Z"
    case "email": "eve@other.example"
    default: schema["pattern"] == nil ? "x" : "08:00"
    }
  }
}
