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
    let given = try RequestMembers(request, longestText: .max).optionalArray("operations") ?? []
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
    // The form of all operations is checked before the first name is looked up.
    let read = try given.enumerated().map { try Self.operation($0.element, at: $0.offset) }
    return try await options.perform {
      let answers = try await records.once(acting, options.written) {
        var operations: [RecordOperation] = []
        for (position, operation) in read.enumerated() {
          do {
            operations.append(try await resolved(operation, acting))
          } catch let error as DomainError {
            throw Self.placed(error, at: position)
          }
        }
        return try await records.apply(
          acting,
          operations,
          key: options.key,
          lockTimeout: Self.lockTimeout,
          dryRun: options.dryRun
        )
      }
      return .json(["items": .array(answers.map { .object(JSONObject($0, dryRun: options.dryRun)) })])
    }
  }

  /// Reads an operation.
  ///
  /// - Throws: `missing_fields`, `unknown_fields`, or `invalid_input`, with the position as `operation` in the details.
  private static func operation(_ value: JSONValue, at position: Int) throws(DomainError) -> Named {
    do throws(DomainError) {
      guard let object = value.object else {
        throw DomainError(.invalidInput, "the operation is not an object")
      }
      return try operation(RequestMembers(object))
    } catch {
      throw placed(error, at: position)
    }
  }

  private static func placed(_ error: DomainError, at position: Int) -> DomainError {
    var details = error.details
    details["operation"] = .integer(position)
    return DomainError(
      error.code,
      "operation \(position): \(error.message)",
      hint: error.hint,
      details: details
    )
  }

  /// An operation as it was sent: it names its record, and those that its fields refer to, as paths do.
  private struct Named {
    let type: String
    let record: String
    var isDeleted = false
    var fields: JSONObject = [:]
    /// Returns the operation on the record with this id, with fields that refer by id.
    let operation: @Sendable (UUID, JSONObject) -> RecordOperation
  }

  /// Returns the operation with ids in the place of names.
  private func resolved(_ named: Named, _ acting: ActingContext) async throws -> RecordOperation {
    let type = try await records.type(named: named.type)
    return named.operation(
      try await records.id(of: named.record, type, acting, deleted: named.isDeleted),
      try await records.resolvingReferences(in: named.fields, type: type.name, acting)
    )
  }

  /// The further members of each operation.
  private static let members = [
    "create": ["fields"], "update": ["fields", "version"], "delete": ["comment", "version"], "restore": [],
    "transition": ["transition", "comment", "version", "fields"],
  ]

  private static func operation(_ members: RequestMembers) throws(DomainError) -> Named {
    let (verb, type) = (try members.text("op"), try members.text("type"))
    // The id of a new record makes a repeated batch a replay, and lets later operations refer to it.
    let record = verb == "create" ? try members.id("id").text : try members.text("id")
    guard let further = Self.members[verb] else {
      throw DomainError(
        .invalidInput,
        "there is no operation \(Quoted(verb))",
        hint: "use create, update, transition, delete or restore"
      )
    }
    try members.requireOnly(["op", "type", "id"] + further)
    let version = further.contains("version") ? try members.version() : nil
    let comment = further.contains("comment") ? try members.optionalText("comment") : nil
    switch verb {
    case "create":
      return Named(type: type, record: record, fields: try members.optionalObject("fields") ?? [:]) {
        .create(type: type, id: $0, fields: $1)
      }
    case "update":
      let given = try members.optionalObject("fields").flatMap { $0.isEmpty ? nil : $0 }
      return Named(type: type, record: record, fields: try members.given(given, "fields")) {
        .update(type: type, id: $0, fields: $1, version: version)
      }
    case "transition":
      let change = TransitionRequest(
        try members.text("transition"),
        comment: comment,
        expectedVersion: version
      )
      return Named(type: type, record: record, fields: try members.optionalObject("fields") ?? [:]) {
        .transition(type: type, id: $0, request: change.with($1))
      }
    case "delete":
      return Named(type: type, record: record) { id, _ in
        .delete(type: type, id: id, version: version, comment: comment)
      }
    default:
      return Named(type: type, record: record, isDeleted: true) { id, _ in .restore(type: type, id: id) }
    }
  }
}
