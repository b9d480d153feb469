package import Domain

extension Schema {
  /// Who writes the values that a schema describes.
  package enum Side: Sendable {
    /// The client: members that are not named are refused.
    case request
    /// The server: clients must ignore members that are not named, because later versions may add some.
    case answer
  }

  /// Returns the schema as JSON Schema (draft 2020-12).
  package func json(for side: Side) -> JSONObject {
    switch self {
    case .string: ["type": "string"]
    case .format(let format): ["type": "string", "format": .string(format)]
    case .enumeration(let values): ["type": "string", "enum": .strings(values)]
    case .text(let maximum): ["type": "string", "maxLength": .integer(maximum)]
    case .integer(let minimum, let maximum): Self.integer(minimum, maximum)
    case .number: ["type": "number"]
    case .boolean: ["type": "boolean"]
    case .array(let element, let maximum): Self.array(element.json(for: side), maximum)
    case .object(let members, let isOpen): Self.object(members, isOpen: isOpen, side)
    case .nullable(let inner): Self.nullable(inner.json(for: side))
    case .component(let name): ["$ref": .string("#/components/schemas/\(name)")]
    case .raw(let object): object
    }
  }

  /// The names of the components that the schema refers to, in order, with repetitions.
  var components: [String] {
    switch self {
    case .component(let name): [name]
    case .array(let element, _): element.components
    case .nullable(let inner): inner.components
    case .object(let members, _): members.flatMap(\.schema.components)
    case .string, .format, .enumeration, .text, .integer, .number, .boolean, .raw: []
    }
  }

  /// Returns the schema with components replaced by those that `replacements` names.
  func replacing(_ replacements: [String: String]) -> Schema {
    switch self {
    case .component(let name): .component(replacements[name] ?? name)
    case .array(let element, let maximum): .array(of: element.replacing(replacements), maximum: maximum)
    case .nullable(let inner): .nullable(inner.replacing(replacements))
    case .object(let members, let isOpen):
      .object(
        members.map {
          Member($0.name, $0.schema.replacing(replacements), isRequired: $0.isRequired, $0.description)
        },
        open: isOpen
      )
    case .string, .format, .enumeration, .text, .integer, .number, .boolean, .raw: self
    }
  }

  private static func integer(_ minimum: Int64?, _ maximum: Int64?) -> JSONObject {
    var json: JSONObject = ["type": "integer"]
    if let minimum { json["minimum"] = .integer(minimum) }
    if let maximum { json["maximum"] = .integer(maximum) }
    return json
  }

  private static func array(_ element: JSONObject, _ maximum: Int?) -> JSONObject {
    var json: JSONObject = ["type": "array", "items": .object(element)]
    if let maximum { json["maxItems"] = .integer(maximum) }
    return json
  }

  private static func object(_ members: [Member], isOpen: Bool, _ side: Side) -> JSONObject {
    var json: JSONObject = ["type": "object"]
    var properties = JSONObject()
    for member in members {
      var property = member.schema.json(for: side)
      // Handlers read null as a missing member.
      if side == .request, !member.isRequired { property = nullable(property) }
      if let description = member.description { property["description"] = .string(description) }
      properties[member.name] = .object(property)
    }
    if !properties.isEmpty { json["properties"] = .object(properties) }
    let required = members.filter(\.isRequired).map(\.name)
    if !required.isEmpty { json["required"] = .strings(required) }
    if !isOpen, side == .request { json["additionalProperties"] = false }
    if isOpen { json["additionalProperties"] = true }
    return json
  }

  /// Returns a schema that accepts null too.
  private static func nullable(_ inner: JSONObject) -> JSONObject {
    let types = inner["type"].map { $0.array ?? [$0] }
    guard var types else {
      // A schema without conditions accepts null already.
      return inner.isEmpty ? inner : ["anyOf": [.object(inner), ["type": "null"]]]
    }
    guard !types.contains("null") else { return inner }
    types.append("null")
    var json = inner
    json["type"] = .array(types)
    if let values = inner["enum"]?.array { json["enum"] = .array(values + [.null]) }
    return json
  }
}
