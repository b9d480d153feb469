package import Domain
package import FoundationEssentials

/// An error as a problem document (RFC 9457).
package enum Problem {
  /// Returns the answer for an error.
  ///
  /// - Parameter isConditional: true if the request had `If-Match`: a stale version is then a failed
  ///   precondition.
  package static func answer(_ error: DomainError, request: UUID, isConditional: Bool = false) -> APIAnswer {
    let status = StatusOfCode.status(of: error.code, isConditional: isConditional)
    var body: JSONObject = [
      "type": .string("about:blank"), "title": .string(error.code.title), "status": .integer(status),
      "code": .string(error.code.rawValue), "request_id": .string(request.uuidString.lowercased()),
    ]
    // The messages of these quote hosts, statements and files, which stay in the log.
    if ![.unavailable, .internal, .timedOut].contains(error.code) {
      body["detail"] = .string(error.message)
      body["hint"] = .string(APIHint.text(of: error))
    }
    for (name, value) in error.details.members where body[name] == nil { body[name] = value }
    var headers: APIHeaders = ["content-type": "application/problem+json", "cache-control": "no-store"]
    if status == 401 { headers["www-authenticate"] = "Bearer" }
    if status == 503, error.code != .outcomeUnknown { headers["retry-after"] = "\(Int.random(in: 1...3))" }
    return APIAnswer(status: status, headers: headers, body: .bytes(Array(JSONValue.object(body).text.utf8)))
  }
}
