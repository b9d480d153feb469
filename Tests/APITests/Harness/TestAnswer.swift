import API
import Domain

/// An answer whose body was read whole.
struct TestAnswer: Sendable {
  let status: Int
  let headers: APIHeaders
  let bytes: [UInt8]
  /// The events, which were not started; nil for another body.
  private(set) var events: (any EventSource)?

  init(_ answer: APIAnswer) async throws {
    status = answer.status
    headers = answer.headers
    switch answer.body {
    case .empty: bytes = []
    case .bytes(let whole): bytes = whole
    case .events(let source):
      bytes = []
      events = source
    case .stream(let parts, _):
      var read: [UInt8] = []
      for try await part in parts { read += part }
      bytes = read
    }
  }

  /// The body as text; U+FFFD replaces invalid UTF-8.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The JSON object of the body; empty if the body is not one.
  var json: JSONObject { (try? JSONValue(parsing: text, limits: .stored))?.object ?? [:] }

  /// The member `items` of a list.
  var items: [JSONObject] { json["items"]?.array?.compactMap(\.object) ?? [] }

  /// The code of a problem document; nil for a success.
  var code: ErrorCode? { json["code"]?.string.flatMap(ErrorCode.init(rawValue:)) }

  /// The problem document without `request_id`, which differs for each request.
  var problem: JSONObject {
    var problem = json
    problem["request_id"] = nil
    return problem
  }
}

extension APIBody {
  /// A body of JSON.
  static func json(_ object: JSONObject) -> APIBody { text(JSONValue.object(object).text) }

  /// A body of text, which need not be JSON.
  static func text(_ text: String) -> APIBody { .bytes(Array(text.utf8)) }
}
