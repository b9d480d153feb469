internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

extension RecordRoutes {
  /// The maximum number of operations of a batch.
  static let mostOperations = 100
  private static let lockTimeout = Duration.seconds(5)

  func batch(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let given = try RequestMembers(request.json(), ["operations"]).optionalArray("operations") ?? []
    guard !given.isEmpty else { throw DomainError(.missingFields, "the batch has no operations") }
    guard given.count <= Self.mostOperations else {
      throw DomainError(.payloadTooLarge, "a batch has at most \(Self.mostOperations) operations")
    }
    let options = try WriteOptions(request)
    guard options.version == nil else {
      throw DomainError(
        .invalidInput,
        "If-Match requires a single record",
        hint: "use version in the operations"
      )
    }
    let operations = try given.enumerated().map { try Self.operation($0.element, at: $0.offset) }
    return try await options.perform {
      let answers = try await records.apply(
        acting,
        operations,
        key: options.key,
        lockTimeout: Self.lockTimeout,
        dryRun: options.dryRun
      )
      return .json(["items": .array(answers.map { .object(JSONObject($0, dryRun: options.dryRun)) })])
    }
  }

  /// Reads an operation.
  ///
  /// - Throws: `missing_fields`, `unknown_fields`, or `invalid_input`, with the position as `operation` in the details.
  private static func operation(_ value: JSONValue, at position: Int) throws(DomainError) -> RecordOperation {
    do throws(DomainError) {
      guard let object = value.object else {
        throw DomainError(.invalidInput, "the operation is not an object")
      }
      return try operation(RequestMembers(object))
    } catch {
      var details = error.details
      details["operation"] = .integer(position)
      throw DomainError(
        error.code,
        "operation \(position): \(error.message)",
        hint: error.hint,
        details: details
      )
    }
  }

  /// The further members of each operation.
  private static let members = [
    "create": ["fields"], "update": ["fields", "version"], "delete": ["comment", "version"], "restore": [],
    "transition": ["transition", "comment", "version", "fields"],
  ]

  private static func operation(_ members: RequestMembers) throws(DomainError) -> RecordOperation {
    let (verb, type) = (try members.text("op"), try members.text("type"))
    // The id makes a repeated batch a replay, and lets later operations refer to a new record.
    let id = try members.id("id")
    guard let further = Self.members[verb] else {
      throw DomainError(
        .invalidInput,
        "there is no operation \(Quoted(verb))",
        hint: "use create, update, transition, delete or restore"
      )
    }
    try members.requireOnly(["op", "type", "id"] + further)
    switch verb {
    case "create": return .create(type: type, id: id, fields: try members.optionalObject("fields") ?? [:])
    case "update":
      let fields = try members.optionalObject("fields").flatMap { $0.isEmpty ? nil : $0 }
      return .update(
        type: type,
        id: id,
        fields: try members.given(fields, "fields"),
        version: try members.version()
      )
    case "transition":
      let change = TransitionRequest(
        try members.text("transition"),
        comment: try members.optionalText("comment"),
        expectedVersion: try members.version(),
        fields: try members.optionalObject("fields") ?? [:]
      )
      return .transition(type: type, id: id, request: change)
    case "delete":
      let comment = try members.optionalText("comment")
      return .delete(type: type, id: id, version: try members.version(), comment: comment)
    default: return .restore(type: type, id: id)
    }
  }
}
