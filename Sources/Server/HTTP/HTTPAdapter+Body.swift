internal import API
internal import Domain
internal import Hummingbird
internal import HummingbirdCore

extension HTTPAdapter {
  /// Returns the reader of a body that the route accepts, by its head alone; nil without a body.
  ///
  /// - Throws: `unsupported_media`, `payload_too_large`.
  static func reader(
    of incoming: IncomingRequest,
    _ request: Request,
    _ kind: BodyKind,
    _ deadline: HandlerDeadline
  ) throws -> BodyReader? {
    guard incoming.hasBody else { return nil }
    let type = mediaType(incoming.headers["content-type"])
    let limit: Int
    switch kind {
    case .none: limit = 0
    case .json(let maximum):
      guard let type, type == "application/json" || type.hasSuffix("+json") else {
        throw DomainError(
          .unsupportedMedia,
          "the body is not declared as application/json",
          hint: "send Content-Type: application/json"
        )
      }
      limit = maximum
    case .form(let maximum):
      guard type == "application/x-www-form-urlencoded" else {
        throw DomainError(
          .unsupportedMedia,
          "the body is not declared as application/x-www-form-urlencoded",
          hint: "send Content-Type: application/x-www-form-urlencoded"
        )
      }
      limit = maximum
    case .stream(let maximum): limit = maximum
    }
    if incoming.headers["content-encoding"].map({ $0.lowercased() != "identity" }) ?? false {
      throw DomainError(
        .unsupportedMedia,
        "compressed bodies are not accepted",
        hint: "send it without Content-Encoding"
      )
    }
    if let length = incoming.contentLength, length > limit { throw tooLarge(kind) }
    guard case .stream = kind else {
      return BodyReader(request.body, limit: limit, expected: incoming.contentLength)
    }
    return BodyReader(request.body, limit: limit, expected: incoming.contentLength) { deadline.extend() }
  }

  /// Returns the body for the handler: read whole, or as parts.
  ///
  /// - Throws: the errors of ``BodyReader/next()``.
  static func body(_ kind: BodyKind, _ reader: BodyReader?, length: Int?) async throws -> APIBody {
    guard let reader else { return .none }
    if case .stream = kind { return .stream(reader.stream(), length: length) }
    do {
      let bytes = try await reader.all()
      return bytes.isEmpty ? .none : .bytes(bytes)
    } catch let error as DomainError where error.code == .payloadTooLarge {
      throw tooLarge(kind)
    }
  }

  /// Returns the media type of a content type, without its parameters, in lower case.
  static func mediaType(_ field: String?) -> String? {
    field?.split(separator: ";").first.map { $0.filter { !$0.isWhitespace }.lowercased() }
  }

  private static func tooLarge(_ kind: BodyKind) -> DomainError {
    switch kind {
    case .none:
      DomainError(.unsupportedMedia, "this path takes no body", hint: "send the request without a body")
    case .json(let maximum), .form(let maximum), .stream(let maximum): BodyReader.tooLarge(maximum)
    }
  }
}
