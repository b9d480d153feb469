package import Domain
package import Engine
internal import FoundationEssentials
package import Store

/// The options of a command that a request gives in header fields and the query.
package struct WriteOptions: Sendable {
  /// The maximum length of an idempotency key, in characters.
  package static let longestKey = 150

  /// The idempotency key; nil for none.
  package let key: String?
  /// The request as it was written; nil without a key.
  package let written: WrittenRequest?
  /// True to decide and roll back.
  package let dryRun: Bool
  /// The required version; nil for any.
  package let version: Int64?
  /// The reason of a deletion; nil for none.
  package let comment: String?
  private let epoch: String?

  /// - Parameters:
  ///   - version: the required version that the body names; nil if it names none.
  ///   - acceptsComment: true if the query may have a comment.
  /// - Throws: `unknown_fields` for an unknown parameter, `invalid_input`, `stale`.
  package init(_ request: APIRequest, version given: Int64? = nil, acceptsComment: Bool = false)
    throws(DomainError)
  {
    var (dryRun, comment) = (false, String?.none)
    for (name, value) in request.query {
      switch name {
      case "dry_run": dryRun = try QueryReader.flag(value, of: name)
      case "comment" where acceptsComment: comment = value
      default:
        throw DomainError(
          .unknownFields,
          "there is no parameter \(Quoted(name))",
          hint: "use dry_run",
          details: ["fields": [.string(name)]]
        )
      }
    }
    let condition = try EntityTag.Precondition(request.headers["if-match"])
    if let given, let version = condition.version, given != version {
      throw DomainError(.invalidInput, "the body and If-Match name different versions")
    }
    self.dryRun = dryRun
    self.comment = comment
    version = given ?? condition.version
    epoch = condition.epoch
    key = try Self.key(of: request)
    written = try Self.written(request)
  }

  /// Returns the request as it was written; nil without a key.
  ///
  /// - Throws: `invalid_input` for an empty or too long key.
  package static func written(_ request: APIRequest) throws(DomainError) -> WrittenRequest? {
    guard let key = try key(of: request) else { return nil }
    // A dry run is not kept, so that it is no other request.
    let query = request.query.filter { $0.name != "dry_run" }.map { "\($0.name)=\($0.value)" }
    var (body, text) = (JSONValue.null, "")
    if case .bytes(let bytes) = request.body {
      text = String(decoding: bytes, as: UTF8.self)
      // Other texts are refused; the order of an object's members has no meaning.
      if let value = try? JSONValue(parsing: text) { (body, text) = (value, "") }
    }
    let words = [request.method.rawValue, request.path, request.headers["if-match"], text]
    return WrittenRequest(key: key, words + query, fields: body)
  }

  /// Returns the idempotency key of a request; nil for none.
  ///
  /// - Throws: `invalid_input` for an empty or too long key.
  package static func key(of request: APIRequest) throws(DomainError) -> String? {
    guard let key = request.headers["idempotency-key"] else { return nil }
    guard !key.isEmpty, key.unicodeScalars.count <= longestKey, !key.utf8.contains(0) else {
      throw DomainError(.invalidInput, "an Idempotency-Key has 1 to \(longestKey) characters")
    }
    return key
  }

  /// Runs a command, and adds header fields about it to its answer.
  package func perform(_ body: () async throws -> APIAnswer) async throws -> APIAnswer {
    try await perform { _ in try await body() }
  }

  /// Runs a command, and adds header fields about it to its answer.
  ///
  /// - Parameter body: gets the note of its unit of work.
  package func perform(_ body: (WorkNote) async throws -> APIAnswer) async throws -> APIAnswer {
    try await Self.perform(in: epoch, body)
  }

  /// Runs a command, and adds header fields about it to its answer.
  ///
  /// - Parameter epoch: the beginning of the required epoch; nil for any.
  package static func perform(
    in epoch: String? = nil,
    _ body: (WorkNote) async throws -> APIAnswer
  ) async throws -> APIAnswer {
    let note = WorkNote(expectedEpoch: epoch)
    var answer = try await WorkNote.$current.withValue(note) { try await body(note) }
    if note.isReplay { answer.headers["idempotency-replayed"] = "true" }
    return answer
  }
}
