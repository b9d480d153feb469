package import API

/// The rules for scripts of other origins (CORS): an allow-list, with credentials.
package struct CrossOrigin: Sendable {
  private let allowed: Set<String>

  /// - Parameter allowed: origins such as `https://app.example`, in lower case.
  package init(allowed: [String]) {
    self.allowed = Set(allowed)
  }

  /// The fields that a script may send besides those that are always allowed.
  private static let requestFields = [
    "Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key", "X-CSRF-Token",
    "X-Request-Id", "Tus-Resumable", "Upload-Checksum", "Upload-Length", "Upload-Metadata", "Upload-Offset",
  ].joined(separator: ", ")

  /// The fields of an answer that a script may read besides those that are always allowed.
  private static let answerFields = [
    "ETag", "Link", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "Tus-Resumable",
    "Tus-Version",
    "Upload-Expires", "Upload-Offset", "X-Request-Id",
  ].joined(separator: ", ")

  /// True if there are allowed origins, so that answers depend on the origin.
  package var isUsed: Bool { !allowed.isEmpty }

  /// Returns true if scripts of the origin may read answers, with credentials.
  package func allows(_ origin: String) -> Bool { allowed.contains(origin) }

  /// Returns the fields of every answer to a request from an origin.
  package func headers(for origin: String?) -> APIHeaders {
    var headers = APIHeaders()
    if isUsed { headers.add("vary", "Origin") }
    guard let origin, allows(origin) else { return headers }
    headers.add("access-control-allow-origin", origin)
    headers.add("access-control-allow-credentials", "true")
    headers.add("access-control-expose-headers", Self.answerFields)
    return headers
  }

  /// Returns the further fields of the answer to a preflight request of an allowed origin.
  ///
  /// - Parameter methods: the methods of the path.
  package func preflight(methods: [APIMethod]) -> APIHeaders {
    [
      "access-control-allow-methods": methods.map(\.rawValue).joined(separator: ", "),
      "access-control-allow-headers": Self.requestFields,
      // Browsers keep it for two hours at most.
      "access-control-max-age": "7200",
    ]
  }
}
