package import Domain
package import Engine
package import Store

/// The OpenAPI 3.1 document of the API, made from the routes that the server answers.
///
/// Routes of records have one path for each installed record type.
package struct Document: Sendable {
  /// The version of the API, as in the paths.
  package static let version = "1"

  /// The document.
  package let json: JSONObject

  /// - Parameters:
  ///   - types: the installed record types; empty for the part of the document that no app changes.
  ///   - choices: the permitted values of text columns.
  ///   - rules: the compiled rules of the apps, which fill in some columns.
  ///   - server: the origin of the server, such as `https://fettle.example`; nil for the one that serves the document.
  package init(
    _ routes: [Route],
    types: [RecordType] = [],
    choices: [ColumnChoices] = [],
    rules: AppRules = .none,
    server: String? = nil
  ) {
    let schemas = types.map { type in
      RecordSchema(type, choices: choices, filled: rules.records[type.name]?.fills ?? [])
    }
    let expanded = routes.flatMap { route -> [Route] in
      guard RecordExpansion.applies(to: route) else { return [route] }
      guard !types.isEmpty else { return [route] }
      return zip(types, schemas).compactMap { RecordExpansion($0, $1).route(route) }
    }
    json = [
      "openapi": "3.1.0",
      "info": .object(Self.info),
      "servers": [["url": .string(server ?? "/")]],
      "tags": .array(Self.tags(expanded)),
      "paths": .object(Self.paths(expanded)),
      "components": .object(Self.components(schemas)),
    ]
  }

  /// The document as text.
  package var text: String { JSONValue.object(json).text }

  private static let info: JSONObject = [
    "title": "Fettle", "version": .string(version),
    "description": """
    Records, workflows, files and people of one company. The credential names the company. \
    Errors are problem documents (RFC 9457). Clients must ignore members that they do not know.
    """,
    "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
  ]

  private static func tags(_ routes: [Route]) -> [JSONValue] {
    var seen: Set<String> = []
    return routes.map(\.operation.tag).filter { seen.insert($0).inserted }.map { ["name": .string($0)] }
  }

  private static func paths(_ routes: [Route]) -> JSONObject {
    var paths = JSONObject()
    for route in routes {
      var path = paths[route.pattern]?.object ?? JSONObject()
      path[route.method.rawValue.lowercased()] = .object(DocumentOperation(route).json)
      paths[route.pattern] = .object(path)
    }
    return paths
  }

  private static func components(_ types: [RecordSchema]) -> JSONObject {
    var schemas: JSONObject = ["problem": .object(problem)]
    for part in RecordSchema.Part.allCases { schemas[part.rawValue] = .object(part.general) }
    for component in types.flatMap(\.components) { schemas[component.name] = .object(component.schema) }
    return [
      "schemas": .object(schemas),
      "responses": .object(DocumentErrors.components),
      "headers": [
        "X-Request-Id": [
          "description": "Id of the request: that of the client if it sent a UUID, otherwise a new one",
          "schema": ["type": "string", "format": "uuid"],
        ],
        "Retry-After": [
          "description": "Seconds to wait before the next attempt",
          "schema": ["type": "integer", "minimum": 0],
        ],
        "WWW-Authenticate": ["description": "The accepted scheme", "schema": ["type": "string"]],
      ],
      "securitySchemes": [
        "bearer": [
          "type": "http", "scheme": "bearer",
          "description": "An API token, or the access token of a mobile, guest or visitor session",
        ],
        "session": [
          "type": "apiKey", "in": "cookie", "name": "__Host-fettle",
          "description": "The session of a browser",
        ],
      ],
    ]
  }

  private static let problem: JSONObject = [
    "type": "object", "title": "Problem (RFC 9457)",
    "properties": [
      "type": ["type": "string"], "title": ["type": "string"],
      "status": ["type": "integer", "minimum": 400, "maximum": 599],
      "code": ["type": "string", "enum": .strings(ErrorCode.allCases.map(\.rawValue))],
      "detail": ["type": "string", "description": "What failed, on what, and why"],
      "hint": ["type": "string", "description": "The action that resolves the error"],
      "request_id": ["type": "string", "format": "uuid"],
    ],
    "required": ["type", "title", "status", "code", "request_id"],
    "additionalProperties": true,
  ]
}
