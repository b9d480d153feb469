internal import API
internal import FoundationEssentials

/// Completes answers: header fields for security and scripts of other origins, and compression.
struct AnswerHeaders: Sendable {
  private let crossOrigin: CrossOrigin
  private let isSecure: Bool
  private let date = HTTPDate()
  /// The smallest body that is compressed, in bytes: below it, compression saves too little.
  private static let smallest = 1_024

  init(_ crossOrigin: CrossOrigin, isSecure: Bool) {
    self.crossOrigin = crossOrigin
    self.isSecure = isSecure
  }

  /// Adds the fields of every answer, also of errors.
  ///
  /// - Parameter origin: the `Origin` of the request.
  func complete(_ answer: inout APIAnswer, id: UUID, origin: String?) {
    func add(_ name: String, _ value: String) {
      if answer.headers[name] == nil { answer.headers.add(name, value) }
    }
    add("x-request-id", id.uuidString.lowercased())
    add("x-content-type-options", "nosniff")
    add("content-security-policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
    add("referrer-policy", "no-referrer")
    add("cache-control", "no-store")
    add("date", date.text)
    if isSecure { add("strict-transport-security", "max-age=31536000") }
    for field in crossOrigin.headers(for: origin).fields { answer.headers.add(field.name, field.value) }
  }

  /// The media types that are compressed.
  private static let compressed = ["json", "text/html", "text/css", "text/javascript"]

  /// Compresses a text for a client that accepts gzip.
  ///
  /// Answers that set cookies and those of sign-in are not compressed, because the size of compressed text reveals
  /// something about the secrets in it. The ETag stays the same, because it names the version of the record.
  func compress(_ answer: inout APIAnswer, acceptEncoding: String?, path: String) {
    guard case .bytes(let bytes) = answer.body, bytes.count >= Self.smallest,
      let type = answer.headers["content-type"],
      Self.compressed.contains(where: type.contains), answer.headers["content-encoding"] == nil,
      answer.headers["set-cookie"] == nil, !path.hasPrefix("/v1/auth/")
    else { return }
    answer.headers.add("vary", "Accept-Encoding")
    let isKept = answer.headers["cache-control"]?.contains("immutable") == true
    guard Gzip.isAccepted(acceptEncoding), let compressed = Gzip.compressed(bytes, thoroughly: isKept) else {
      return
    }
    answer.headers["content-encoding"] = "gzip"
    answer.body = .bytes(compressed)
  }
}
