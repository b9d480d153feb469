package import Domain
package import FoundationEssentials

/// An error as a problem document (RFC 9457).
package enum Problem {
  /// Returns the answer for an error.
  ///
  /// - Parameters:
  ///   - isConditional: true if the request had `If-Match`: a stale version is then a failed precondition.
  ///   - status: the status; nil for that of the error's code.
  package static func answer(
    _ error: DomainError,
    request: UUID,
    isConditional: Bool = false,
    status given: Int? = nil
  ) -> APIAnswer {
    let status = given ?? StatusOfCode.status(of: error.code, isConditional: isConditional)
    var body: JSONObject = [
      "type": .string("about:blank"), "title": .string(error.code.title), "status": .integer(status),
      "code": .string(error.code.rawValue), "request_id": .string(request.text),
    ]
    // The messages of these quote hosts, statements and files, which stay in the log.
    if ![.unavailable, .providerUnavailable, .internal, .timedOut].contains(error.code) {
      body["detail"] = .string(error.message)
      body["hint"] = .string(APIHint.text(of: error))
    }
    for (name, value) in error.details.members where body[name] == nil { body[name] = value }
    var headers: APIHeaders = ["content-type": "application/problem+json", "cache-control": "no-store"]
    if status == 401 { headers["www-authenticate"] = "Bearer" }
    if status == 503, error.code != .outcomeUnknown { headers["retry-after"] = "\(Int.random(in: 1...3))" }
    if error.code == .rateLimited, let seconds = error.details["retry_after"]?.text {
      headers["retry-after"] = seconds
      if let limit = error.details["limit"]?.string { headers["ratelimit"] = "\"\(limit)\";r=0;t=\(seconds)" }
    }
    return APIAnswer(status: status, headers: headers, body: .bytes(Array(JSONValue.object(body).text.utf8)))
  }
}
