internal import Domain

/// An operation of the document, made from a route.
struct DocumentOperation {
  private let route: Route

  init(_ route: Route) { self.route = route }

  /// The operation object (OpenAPI 3.1, section 4.8.10).
  var json: JSONObject {
    let operation = route.operation
    var json: JSONObject = [
      "operationId": .string(operation.id), "tags": [.string(operation.tag)],
      "summary": .string(operation.summary),
    ]
    let parameters = path + operation.parameters.map(parameter)
    if !parameters.isEmpty { json["parameters"] = .array(parameters.map(JSONValue.object)) }
    if let request { json["requestBody"] = .object(request) }
    json["responses"] = .object(responses)
    json["security"] = .array(security)
    json["x-admission"] = .string(route.admission.name)
    return json
  }

  private var path: [JSONObject] {
    route.placeholders.map { name in
      let described = route.operation.path[name]
      return [
        "name": .string(name), "in": "path", "required": true,
        "schema": .object((described ?? .text(maximum: 300)).json(for: .request)),
      ]
    }
  }

  private func parameter(_ parameter: Operation.Parameter) -> JSONObject {
    let schema = parameter.schema.json(for: .request)
    return [
      "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
      "description": .string(parameter.description), "required": .bool(parameter.isRequired),
      "schema": parameter.isRepeatable ? ["type": "array", "items": .object(schema)] : .object(schema),
    ]
  }

  private var request: JSONObject? {
    let schema = (route.operation.request ?? .anyObject)
    switch route.body {
    case .none: return nil
    case .json:
      return Self.body("application/json", schema.json(for: .request), isRequired: schema.hasRequired)
    case .form:
      return Self.body(
        "application/x-www-form-urlencoded",
        schema.json(for: .request),
        isRequired: schema.hasRequired
      )
    case .stream:
      return Self.body(route.operation.requestMediaType ?? "application/octet-stream", [:], isRequired: true)
    }
  }

  private static func body(_ mediaType: String, _ schema: JSONObject, isRequired: Bool) -> JSONObject {
    ["required": .bool(isRequired), "content": .object([mediaType: ["schema": .object(schema)]])]
  }

  private var responses: JSONObject {
    var responses = JSONObject()
    for answer in route.operation.answers {
      var json: JSONObject = [
        "description": .string(answer.description),
        "headers": ["X-Request-Id": ["$ref": "#/components/headers/X-Request-Id"]],
      ]
      if let mediaType = answer.mediaType ?? answer.schema.map({ _ in "application/json" }) {
        // Several answers of one status differ in their media types.
        var content = responses["\(answer.status)"]?.object?["content"]?.object ?? [:]
        content[mediaType] = ["schema": .object(answer.schema?.json(for: .answer) ?? [:])]
        json["content"] = .object(content)
      }
      responses["\(answer.status)"] = .object(json)
    }
    if route.operation.takes("If-None-Match"), responses["304"] == nil {
      responses["304"] = ["description": "The answer has not changed"]
    }
    for (status, json) in DocumentErrors(route).answers where responses[status] == nil {
      responses[status] = .object(json)
    }
    return responses
  }

  private var security: [JSONValue] {
    let credentials: [JSONValue] = [["bearer": []], ["session": []]]
    return switch route.admission {
    case .everybody: []
    case .optional: [[:]] + credentials
    case .caller, .person, .recentSignIn: credentials
    }
  }
}

extension Route.Admission {
  /// The name in the document's `x-admission`.
  var name: String {
    switch self {
    case .everybody: "everybody"
    case .optional: "optional"
    case .caller: "caller"
    case .person: "person"
    case .recentSignIn: "recent_sign_in"
    }
  }
}

extension Schema {
  /// True if a value of the schema has members that must be given.
  fileprivate var hasRequired: Bool {
    switch self {
    case .object(let members, _): members.contains(where: \.isRequired)
    case .nullable, .raw: false
    default: true
    }
  }
}
