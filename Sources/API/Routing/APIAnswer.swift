package import Domain

/// The answer to a request.
package struct APIAnswer: Sendable {
  /// The body of an answer.
  package enum Body: Sendable {
    case empty
    case bytes([UInt8])
    /// A body sent in parts. No database connection may be held meanwhile.
    case stream(APIByteStream, length: Int?)
    /// Events that are sent when they happen.
    case events(any EventSource)
  }

  package var status: Int
  package var headers: APIHeaders
  package var body: Body

  package init(status: Int = 200, headers: APIHeaders = APIHeaders(), body: Body = .empty) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns an answer with JSON.
  package static func json(_ value: JSONObject, status: Int = 200, headers: APIHeaders = APIHeaders())
    -> APIAnswer
  {
    json(text: JSONValue.object(value).text, status: status, headers: headers)
  }

  /// Returns an answer with a text that is JSON already.
  package static func json(text: String, status: Int = 200, headers: APIHeaders = APIHeaders()) -> APIAnswer {
    var headers = headers
    headers["content-type"] = "application/json"
    return APIAnswer(status: status, headers: headers, body: .bytes(Array(text.utf8)))
  }

  /// Returns an answer without content, with status 204.
  package static let noContent = APIAnswer(status: 204)
}
