internal import Domain

/// The error answers of an operation.
struct DocumentErrors {
  private let route: Route

  init(_ route: Route) { self.route = route }

  /// The error codes by status, in ascending order of the status.
  var codes: [(status: Int, codes: [ErrorCode])] {
    // The server refuses a long URL with a status of its own.
    var byStatus: [Int: [ErrorCode]] = [414: [.requestTooLong]]
    for code in usual + route.operation.errors + (route.operation.request?.refusals ?? []) {
      let status = StatusOfCode.status(of: code, isConditional: isConditional)
      if byStatus[status]?.contains(code) != true { byStatus[status, default: []].append(code) }
    }
    return byStatus.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The answers, by status: each refers to the component of its status and names the codes.
  var answers: [(status: String, json: JSONObject)] {
    codes.map { status, codes in
      (
        "\(status)",
        [
          "$ref": .string("#/components/responses/\(Self.component(status))"),
          "description": .string(codes.map { "`\($0.rawValue)`: \($0.title)" }.joined(separator: "; ")),
        ]
      )
    }
  }

  /// Returns the name of the component for the error answers of a status.
  static func component(_ status: Int) -> String { "problem\(status)" }

  /// The components for error answers.
  static var components: JSONObject {
    let statuses = Set(ErrorCode.allCases.map { StatusOfCode.status(of: $0) } + [412, 414]).sorted()
    return JSONObject(statuses.map { (component($0), .object(answer($0))) })
  }

  private static func answer(_ status: Int) -> JSONObject {
    var headers: JSONObject = ["X-Request-Id": ["$ref": "#/components/headers/X-Request-Id"]]
    if status == 429 || status == 503 {
      headers["Retry-After"] = ["$ref": "#/components/headers/Retry-After"]
    }
    if status == 401 { headers["WWW-Authenticate"] = ["$ref": "#/components/headers/WWW-Authenticate"] }
    return [
      "description": "The request failed", "headers": .object(headers),
      "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/problem"]]],
    ]
  }

  private var isConditional: Bool { route.operation.takes("If-Match") }

  /// The errors that follow from the admission, the parameters and the body.
  private var usual: [ErrorCode] {
    var codes: [ErrorCode] = [.malformedRequest, .requestTooLong]
    if route.admission != .everybody { codes += [.unauthenticated, .sessionExpired] }
    if ![.everybody, .optional].contains(route.admission) {
      codes += [.forbidden, .companySuspended, .companyArchived]
      if !route.method.isSafe { codes += [.signUpRequired, .crossSiteRequest] }
    }
    if !route.placeholders.isEmpty { codes.append(.notFound) }
    if route.body != .none { codes += [.invalidJSON, .payloadTooLarge, .unsupportedMedia] }
    codes += [.invalidInput, .unknownFields]
    if route.operation.request != nil { codes += [.missingFields, .valueTooLong] }
    if !route.method.isSafe { codes.append(.alreadyExists) }
    if isConditional { codes.append(.stale) }
    if route.operation.takes("Idempotency-Key") { codes += [.idempotencyConflict, .outcomeUnknown] }
    return codes + [.rateLimited, .internal, .unavailable, .timedOut]
  }
}

extension Schema {
  /// The errors of values of another kind than the schema has, besides `invalid_input`.
  fileprivate var refusals: [ErrorCode] {
    switch self {
    case .format("uuid"): [.invalidID]
    case .format("date-time"): [.invalidInstant]
    case .integer: [.invalidNumber]
    case .array(let element, _), .nullable(let element): element.refusals
    case .object(let members, _): members.flatMap(\.schema.refusals)
    default: []
    }
  }
}

extension Operation {
  /// True if the operation has a header parameter of this name.
  func takes(_ header: String) -> Bool {
    parameters.contains { $0.place == .header && $0.name.lowercased() == header.lowercased() }
  }
}
