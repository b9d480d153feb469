/// The server's answer to a request.
public struct Response: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields. Their names are lower case.
  public var headers: [String: String]
  /// The whole body.
  public var body: [UInt8]

  /// Creates an answer.
  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// True if the request succeeded.
  public var isSuccess: Bool { (200..<300).contains(status) }

  /// The JSON of the body.
  func json() throws(ClientError) -> FieldValue { try FieldValue(parsing: body) }

  /// The pause that the server asks for; nil if it asks for none, or in another form than seconds.
  private var retryAfter: Duration? {
    guard let text = headers["retry-after"], !text.isEmpty,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    // A number beyond 64 bits is a long pause, not none.
    return .seconds(min(Int64(text) ?? .max, 86_400))
  }

  /// The problem document of a refusal; without members if the body is none.
  var problem: Problem {
    let members = (try? FieldValue(parsing: body).object) ?? [:]  // a proxy answers without a document
    return Problem(status: status, members: members, retryAfter: retryAfter)
  }
}

/// A refusal of the server (RFC 9457).
struct Problem {
  let status: Int
  let members: [String: FieldValue]
  /// The pause that the server asks for; nil if it asks for none.
  var retryAfter: Duration?

  /// True if the server cannot do this now, and may do it later: no failed attempt.
  var isBusy: Bool { status >= 500 || status == 429 }

  /// The stable name of the refusal; empty if the answer is not the server's own.
  var code: String { members["code"]?.string ?? "" }

  /// The error for the caller.
  var error: ClientError {
    let message = members["detail"]?.string ?? members["title"]?.string ?? "the server answered \(status)"
    let hint = members["hint"]?.string
    let kind: ClientError.Kind =
      switch (status, code) {
      case (_, "session_expired"), (_, "unauthenticated"), (401, _): .signedOut
      case (_, "device_revoked"): .deviceRevoked
      case (_, "device_cloned"): .deviceCloned
      case (_, "client_outdated"), (426, _): .outdated
      case (429, _), (500..., _): .unavailable
      default: .refused(code: code.isEmpty ? "\(status)" : code)
      }
    return ClientError(kind, message, hint: hint, retryAfter: retryAfter)
  }
}
