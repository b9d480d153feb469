internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

extension RecordRoutes {
  func comments(_ request: APIRequest) async throws -> APIAnswer {
    let type = try await records.type(of: request)
    let found = try await conversation.comments(
      try request.acting(),
      type: type.name,
      id: try await records.id(in: request, of: type)
    )
    return .json(["items": .array(found.map { .object(JSONObject($0)) })])
  }

  func say(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    let members = try RequestMembers(request, longestText: .max)
    let (id, body) = (try members.optionalID("id"), try members.optionalText("body"))
    let options = try WriteOptions(request)
    return try await options.perform {
      let answer = try await records.once(acting, options.written) {
        try await conversation.say(
          acting,
          type: type.name,
          id: try await records.id(in: request, of: type),
          comment: id,
          body ?? "",
          key: options.key,
          dryRun: options.dryRun
        )
      }
      return .json(JSONObject(answer), status: options.dryRun ? 200 : 201)
    }
  }

  func editComment(_ request: APIRequest) async throws -> APIAnswer {
    let type = try await records.type(of: request)
    let body = try RequestMembers(request, longestText: .max).optionalText("body")
    let answer = try await conversation.edit(
      try request.acting(),
      type: type.name,
      id: try await records.id(in: request, of: type),
      comment: try request.id("comment"),
      body ?? ""
    )
    return .json(JSONObject(answer))
  }

  func withdrawComment(_ request: APIRequest) async throws -> APIAnswer {
    let type = try await records.type(of: request)
    try await conversation.withdraw(
      try request.acting(),
      type: type.name,
      id: try await records.id(in: request, of: type),
      comment: try request.id("comment")
    )
    return .noContent
  }

  func watch(_ request: APIRequest, _ isWatching: Bool) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    let id = try await records.id(in: request, of: type)
    try await conversation.watch(acting, type: type.name, id: id, isWatching)
    let watchers = try await conversation.watchers(acting, type: type.name, id: id)
    return .json(["id": .string(id.text), "watchers": .strings(watchers)])
  }
}
