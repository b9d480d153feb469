import Domain
import Foundation

/// Validates JSON against the subset of JSON Schema (draft 2020-12) that the document uses.
///
/// An unknown keyword is a fault too, so that the document cannot use one that no test checks.
struct SchemaValidator {
  /// The document, for references such as `#/components/schemas/problem`.
  let root: JSONObject
  /// True to refuse members that an object's schema does not name.
  var isStrict = true

  /// Returns the faults of a value, each with its path; empty for a valid value.
  func faults(of value: JSONValue, by schema: JSONObject, at path: String = "$") -> [String] {
    if let reference = schema["$ref"]?.string {
      guard let target = resolve(reference) else { return ["\(path): unresolved \(reference)"] }
      return faults(of: value, by: target, at: path)
    }
    var faults = Set(schema.keys).subtracting(Self.keywords).sorted().map { "\(path): unknown keyword \($0)" }
    if let types = schema["type"], !matches(value, types) {
      return faults + ["\(path): \(value.text.prefix(80)) is not \(types.text)"]
    }
    if let values = schema["enum"]?.array, !values.contains(value) {
      faults.append("\(path): \(value.text.prefix(80)) is not one of \(JSONValue.array(values).text)")
    }
    if let alternatives = schema["anyOf"]?.array?.compactMap(\.object),
      !alternatives.contains(where: { self.faults(of: value, by: $0, at: path).isEmpty })
    {
      faults.append("\(path): \(value.text.prefix(80)) matches no alternative")
    }
    for part in schema["allOf"]?.array?.compactMap(\.object) ?? [] {
      faults += self.faults(of: value, by: part, at: path)
    }
    switch value {
    case .string(let text): faults += textFaults(text, schema, path)
    case .number(let number): faults += numberFaults(Double(number.text) ?? .nan, schema, path)
    case .array(let elements): faults += arrayFaults(elements, schema, path)
    case .object(let object): faults += objectFaults(object, schema, path)
    case .null, .bool: break
    }
    return faults
  }

  /// Returns the object that a reference names; nil if there is none.
  func resolve(_ reference: String) -> JSONObject? {
    guard reference.hasPrefix("#/") else { return nil }
    var object: JSONObject? = root
    for part in reference.dropFirst(2).split(separator: "/") { object = object?[String(part)]?.object }
    return object
  }

  private func matches(_ value: JSONValue, _ types: JSONValue) -> Bool {
    let names = types.string.map { [$0] } ?? types.array?.compactMap(\.string) ?? []
    return names.contains { name in
      switch (name, value) {
      case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object),
        ("number", .number):
        true
      case ("integer", .number(let number)): Double(number.text).map { $0 == $0.rounded() } ?? false
      default: false
      }
    }
  }

  private func textFaults(_ text: String, _ schema: JSONObject, _ path: String) -> [String] {
    var faults: [String] = []
    if let maximum = integer(schema, "maxLength"), text.unicodeScalars.count > maximum {
      faults.append("\(path): longer than \(maximum)")
    }
    if let minimum = integer(schema, "minLength"), text.unicodeScalars.count < minimum {
      faults.append("\(path): shorter than \(minimum)")
    }
    if let format = schema["format"]?.string, !Self.isValid(text, as: format) {
      faults.append("\(path): \(text.prefix(80)) is not a \(format)")
    }
    if let pattern = schema["pattern"]?.string, text.range(of: pattern, options: .regularExpression) == nil {
      faults.append("\(path): \(text.prefix(80)) does not match \(pattern)")
    }
    return faults
  }

  private func numberFaults(_ number: Double, _ schema: JSONObject, _ path: String) -> [String] {
    var faults: [String] = []
    if let bound = real(schema, "minimum"), number < bound { faults.append("\(path): less than \(bound)") }
    if let bound = real(schema, "maximum"), number > bound { faults.append("\(path): greater than \(bound)") }
    if let bound = real(schema, "exclusiveMinimum"), number <= bound {
      faults.append("\(path): not greater than \(bound)")
    }
    if let bound = real(schema, "exclusiveMaximum"), number >= bound {
      faults.append("\(path): not less than \(bound)")
    }
    return faults
  }

  private func arrayFaults(_ elements: [JSONValue], _ schema: JSONObject, _ path: String) -> [String] {
    var faults: [String] = []
    if let maximum = integer(schema, "maxItems"), elements.count > maximum {
      faults.append("\(path): more than \(maximum) elements")
    }
    if let items = schema["items"]?.object {
      for (index, element) in elements.enumerated() {
        faults += self.faults(of: element, by: items, at: "\(path)[\(index)]")
      }
    }
    return faults
  }

  private func objectFaults(_ object: JSONObject, _ schema: JSONObject, _ path: String) -> [String] {
    let properties = schema["properties"]?.object
    var faults = (schema["required"]?.array ?? []).compactMap(\.string).filter { object[$0] == nil }
      .map { "\(path): \($0) is missing" }
    if let minimum = integer(schema, "minProperties"), object.count < minimum {
      faults.append("\(path): fewer than \(minimum) members")
    }
    let others = schema["additionalProperties"]
    for (name, value) in object.members {
      if let property = properties?[name]?.object {
        faults += self.faults(of: value, by: property, at: "\(path).\(name)")
      } else if let other = others?.object {
        faults += self.faults(of: value, by: other, at: "\(path).\(name)")
      } else if others?.bool == false || isStrict && properties != nil && others?.bool != true {
        faults.append("\(path): \(name) is not documented")
      }
    }
    return faults
  }

  private func integer(_ schema: JSONObject, _ name: String) -> Int? {
    schema[name]?.number.flatMap { Int($0.text) }
  }

  private func real(_ schema: JSONObject, _ name: String) -> Double? {
    schema[name]?.number.flatMap { Double($0.text) }
  }

  private static func isValid(_ text: String, as format: String) -> Bool {
    switch format {
    case "uuid": UUID(uuidString: text) != nil
    case "date": (try? LocalDate(parsing: text)) != nil
    case "date-time": (try? Instant(parsing: text)) != nil
    case "email": text.contains("@")
    case "uri", "uri-reference", "byte", "binary", "password": true
    default: false
    }
  }

  private static let keywords: Set<String> = [
    "additionalProperties", "allOf", "anyOf", "contentEncoding", "contentMediaType", "default", "description",
    "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maxLength",
    "maximum", "minLength", "minProperties", "minimum", "pattern", "properties", "required", "title", "type",
  ]
}
