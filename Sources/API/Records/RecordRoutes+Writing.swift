internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

extension RecordRoutes {
  /// The maximum number of records that one transition of many changes.
  static let mostTransitioned = 1_000

  func create(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    let members = RequestMembers(try request.json())
    let (id, fields) = (try members.optionalID("id"), members.without("id"))
    let options = try WriteOptions(request)
    return try await options.perform { note in
      let answer = try await records.once(acting, options.written) {
        try await records.create(
          acting,
          type: type.name,
          id: id,
          fields: try await records.resolvingReferences(in: fields, type: type.name, acting),
          key: options.key,
          dryRun: options.dryRun
        )
      }
      var result = Self.answer(answer, options, note, status: options.dryRun ? 200 : 201)
      if !options.dryRun { result.headers["location"] = "\(request.path)/\(answer.id.text)" }
      return result
    }
  }

  func update(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    let fields = try request.json()
    let options = try WriteOptions(request)
    guard !fields.isEmpty else { throw DomainError(.missingFields, "the body changes no field") }
    return try await options.perform { note in
      let answer = try await records.once(acting, options.written) {
        try await records.update(
          acting,
          type: type.name,
          id: try await records.id(in: request, of: type),
          fields: try await records.resolvingReferences(in: fields, type: type.name, acting),
          version: options.version,
          key: options.key,
          dryRun: options.dryRun
        )
      }
      return Self.answer(answer, options, note)
    }
  }

  func delete(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    let options = try WriteOptions(request, acceptsComment: true)
    return try await options.perform { note in
      let answer = try await records.once(acting, options.written) {
        try await records.delete(
          acting,
          type: type.name,
          id: try await records.id(in: request, of: type),
          version: options.version,
          comment: options.comment,
          key: options.key,
          dryRun: options.dryRun
        )
      }
      return Self.answer(answer, options, note)
    }
  }

  func restore(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    let members = try RequestMembers(request, longestText: .max)
    let (comment, version) = (try members.optionalText("comment"), try members.version())
    let options = try WriteOptions(request, version: version)
    return try await options.perform { note in
      let answer = try await records.once(acting, options.written) {
        try await records.restore(
          acting,
          type: type.name,
          id: try await records.id(in: request, of: type, deleted: true),
          version: options.version,
          comment: comment,
          key: options.key,
          dryRun: options.dryRun
        )
      }
      return Self.answer(answer, options, note)
    }
  }

  func transition(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    let members = RequestMembers(try request.json())
    let (comment, version) = (try members.optionalText("comment"), try members.version())
    let options = try WriteOptions(request, version: version)
    let change = TransitionRequest(
      try request.parameter("transition"),
      comment: comment,
      expectedVersion: options.version,
      fields: members.without("comment", "version")
    )
    return try await options.perform { note in
      let answer = try await records.once(acting, options.written) {
        try await records.transition(
          acting,
          type: type.name,
          id: try await records.id(in: request, of: type),
          request: try await records.resolvingReferences(in: change, type: type.name, acting),
          key: options.key,
          dryRun: options.dryRun
        )
      }
      return Self.answer(answer, options, note)
    }
  }

  func transitionAll(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    let members = RequestMembers(try request.json())
    let (comment, fields) = (try members.optionalText("comment"), members.without("comment"))
    let read = try QueryReader(
      columns: type.shownColumns.map(\.name),
      defaultLimit: Self.mostTransitioned,
      mostRecords: Self.mostTransitioned,
      acceptsDryRun: true
    ).read(request.query)
    guard !read.query.conditions.isEmpty || read.query.search?.isEmpty == false else {
      throw DomainError(
        .missingFields,
        "the request names no records",
        hint: "add a condition, such as where=status=pending"
      )
    }
    guard request.headers["if-match"] == nil else {
      throw DomainError(.invalidInput, "If-Match requires a single record", hint: "leave it out")
    }
    let (asked, dryRun, key) = (read.query, read.dryRun, try WriteOptions.key(of: request))
    let written = try WriteOptions.written(request)
    let change = TransitionRequest(try request.parameter("transition"), comment: comment, fields: fields)
    return try await WriteOptions.perform { _ in
      let outcome = try await records.once(acting, written) {
        var query = asked
        try await resolveNames(in: &query, of: type, acting)
        return try await records.transitionAll(
          acting,
          type: type.name,
          where: query,
          request: try await records.resolvingReferences(in: change, type: type.name, acting),
          key: key,
          dryRun: dryRun
        )
      }
      return .json(JSONObject(outcome, dryRun: dryRun))
    }
  }

  /// Returns the answer to a command on one record. Its tag serves `If-Match` only.
  static func answer(
    _ answer: RecordAnswer,
    _ options: WriteOptions,
    _ note: WorkNote,
    status: Int = 200
  ) -> APIAnswer {
    var headers = APIHeaders()
    if !options.dryRun, let epoch = note.epoch {
      headers["etag"] = EntityTag(epoch: epoch, version: answer.version, body: nil).text
    }
    return .json(JSONObject(answer, dryRun: options.dryRun), status: status, headers: headers)
  }
}
