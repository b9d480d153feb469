internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Secrets
internal import Store

/// A request with an idempotency key whose whole answer is kept: status, header fields and body.
struct KeyedRequest {
  /// The fewest characters of a key without a credential, those of a UUID without hyphens. Only who has sent the key can
  /// know it, so that nobody gets the answer of somebody else.
  private static let fewest = 32

  private let key: RequestKey

  /// - Throws: `invalid_input` for a short key without a credential.
  init(_ request: APIRequest, key: String) throws {
    guard request.caller != nil || key.unicodeScalars.count >= Self.fewest else {
      throw DomainError(
        .invalidInput,
        "without a credential, an Idempotency-Key has at least \(Self.fewest) characters",
        hint: "send a random UUID"
      )
    }
    let acting = request.caller?.acting
    self.key = RequestKey(
      company: acting?.company.id ?? RequestKey.everybody,
      user: acting?.user,
      actor: acting?.actor.label ?? "everybody",
      key: key,
      requestHash: Self.hash(request),
      // A client may repeat the id of the request too.
      request: UUID()
    )
  }

  /// Returns the first answer to the request, or that of the handler.
  func answer(_ kept: KeptAnswers, _ handler: () async throws -> APIAnswer) async throws -> APIAnswer {
    var live: APIAnswer?
    let (bytes, isReplay) = try await kept.once(key) {
      let answer = try await handler()
      live = answer
      return Self.bytes(answer)
    }
    if let live, !isReplay { return live }
    var answer = try Self.answer(bytes)
    answer.headers["idempotency-replayed"] = "true"
    return answer
  }

  /// The digest of everything that the request asks for. A streamed body is not part of it.
  private static func hash(_ request: APIRequest) -> [UInt8] {
    var text = "\(request.method.rawValue) \(request.path)\n"
    for (name, value) in request.query { text += "\(name)=\(value)\n" }
    guard case .bytes(let bytes) = request.body else { return SHA256.hash(text) }
    return SHA256.hash(Array(text.utf8) + bytes)
  }

  /// Returns the answer as JSON; no bytes for an answer that is sent in parts.
  private static func bytes(_ answer: APIAnswer) -> [UInt8] {
    let body: [UInt8]
    switch answer.body {
    case .empty: body = []
    case .bytes(let bytes): body = bytes
    case .stream, .events: return []
    }
    let fields = answer.headers.fields.map { JSONValue.strings([$0.name, $0.value]) }
    let document: JSONObject = [
      "status": .integer(answer.status), "headers": .array(fields), "body": .string(Base64.encode(body)),
    ]
    return Array(JSONValue.object(document).text.utf8)
  }

  private static func answer(_ bytes: [UInt8]) throws -> APIAnswer {
    guard let document = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self)).object,
      let status = document["status"]?.number?.integer,
      let body = document["body"]?.string.flatMap({ Base64.decode($0) })
    else { throw DomainError(.internal, "a kept answer is damaged") }
    let fields = (document["headers"]?.array ?? []).compactMap { field -> (name: String, value: String)? in
      guard let name = field.array?.first?.string, let value = field.array?.last?.string else { return nil }
      return (name, value)
    }
    return APIAnswer(
      status: Int(status),
      headers: APIHeaders(fields),
      body: body.isEmpty ? .empty : .bytes(body)
    )
  }
}
