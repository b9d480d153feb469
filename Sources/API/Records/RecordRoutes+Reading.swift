internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

extension RecordRoutes {
  func list(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    var read = try QueryReader(columns: type.shownColumns.map(\.name)).read(request.query)
    try await resolveNames(in: &read.query, of: type, acting)
    let page = try await records.pageText(
      acting,
      type: type.name,
      read.query,
      columns: read.fields.map(Self.identified),
      includesAllowed: read.includesAllowed
    )
    var headers = APIHeaders()
    var end = "]}"
    if let next = page.next {
      end = "],\"next\":\(JSONValue.string(next).text)}"
      headers["link"] = ListAnswer.link(next, request)
    }
    return .json(text: "{\"items\":[\(page.records.joined(separator: ","))\(end)", headers: headers)
  }

  func show(_ request: APIRequest) async throws -> APIAnswer {
    let type = try await records.type(of: request)
    let deleted = try request.queryValue("deleted").map { try QueryReader.flag($0, of: "deleted") } ?? false
    guard request.queryValue("include") ?? "allowed" == "allowed" else {
      throw DomainError(
        .invalidInput,
        "include has another value than allowed",
        hint: "write include=allowed, or leave it out"
      )
    }
    let record = try await records.showText(
      try request.acting(),
      type: type.name,
      id: try await records.id(in: request, of: type, deleted: deleted),
      deleted: deleted,
      columns: try request.queryValue("fields").map { Self.identified(try QueryReader.names($0)) }
    )
    let body = Array(record.text.utf8)
    let tag = EntityTag(epoch: record.epoch, version: record.version, body: body)
    // Clients may keep the answer, but have to ask whether it is current.
    var headers: APIHeaders = ["etag": tag.text, "cache-control": "private, no-cache"]
    guard !tag.matches(request.headers["if-none-match"]) else {
      return APIAnswer(status: 304, headers: headers)
    }
    headers["content-type"] = "application/json"
    return APIAnswer(headers: headers, body: .bytes(body))
  }

  func history(_ request: APIRequest) async throws -> APIAnswer {
    let type = try await records.type(of: request)
    let most = QueryReader.mostRecords
    let limit = try request.queryValue("limit").map { min(try QueryReader.count($0, of: "limit"), most) }
    let size = limit ?? QueryReader.defaultLimit
    let after = try request.queryValue("after").map { Int64(try QueryReader.count($0, of: "after")) }
    let deleted = try request.flag("deleted")
    let lines = try await records.history(
      try request.acting(),
      type: type.name,
      id: try await records.id(in: request, of: type, deleted: deleted),
      after: after ?? 0,
      limit: size + 1,
      deleted: deleted
    )
    var answer: JSONObject = ["items": .array(try lines.prefix(size).map { .object(try JSONObject($0)) })]
    var headers = APIHeaders()
    if lines.count > size, let last = lines.prefix(size).last {
      answer["next"] = .string("\(last.seq)")
      headers["link"] = ListAnswer.link("\(last.seq)", request)
    }
    return .json(answer, headers: headers)
  }

  func explain(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let type = try await records.type(of: request)
    guard let verb = request.queryValue("do"), !verb.isEmpty else {
      throw DomainError(.missingFields, "do names no action", hint: "write do=update or do=a transition")
    }
    let permission = verb.contains(".") ? verb : "\(type.name).\(verb)"
    let id = try await records.id(in: request, of: type)
    let explainer = AccessExplainer(services)
    guard let member = request.queryValue("member") else {
      return .json(
        JSONObject(
          try await explainer.explainOwn(acting, permission: permission, on: id, of: type.name, records)
        )
      )
    }
    let subject = try AccessExplainer.Subject(parsing: "\(type.name):\(id.text)", permission: permission)
    return .json(
      JSONObject(try await explainer.explain(acting, member: member, permission: permission, on: subject))
    )
  }

  /// Replaces the names of records and members in conditions by ids, and the labels of states by their names.
  func resolveNames(in query: inout RecordQuery, of type: RecordType, _ acting: ActingContext) async throws {
    do {
      for (place, condition) in query.conditions.enumerated() {
        query.conditions[place] = try await records.resolvingNames(in: condition, type: type.name, acting)
      }
    } catch let error as DomainError where error.code == .notFound {
      // Not 404, because the list exists. The original hint could name records that the caller may not read.
      throw DomainError(.invalidInput, error.message, hint: "use the id of a record that exists")
    }
  }

  /// Returns the columns with those that a schema promises.
  private static func identified(_ columns: [String]) -> [String] {
    ["id", "version"].filter { !columns.contains($0) } + columns
  }
}
