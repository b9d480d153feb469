internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Secrets
internal import Web

extension APIAnswer {
  /// What a page may load and send. Forms go to this server only; scripts make markup only through our policy.
  static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
    worker-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; \
    require-trusted-types-for 'script'; trusted-types fettle
    """

  /// Returns a page, or nothing new if the browser has it.
  static func page(_ html: HTML, status: Int = 200, for request: APIRequest? = nil) -> APIAnswer {
    let bytes = Array(html.text.utf8)
    var headers: APIHeaders = [
      "content-type": "text/html; charset=utf-8", "content-security-policy": policy,
      // Under `no-referrer`, browsers send forms with `Origin: null`.
      "referrer-policy": "same-origin", "cache-control": "private, no-cache",
    ]
    guard status == 200, let request, request.method.isSafe else {
      headers["cache-control"] = "no-store"
      return APIAnswer(status: status, headers: headers, body: .bytes(bytes))
    }
    let tag = "\"\(Hex.encode(SHA256.hash(bytes).prefix(12)))\""
    headers["etag"] = tag
    guard request.headers["if-none-match"] != tag else { return APIAnswer(status: 304, headers: headers) }
    return APIAnswer(headers: headers, body: .bytes(bytes))
  }

  /// Returns the answer to a form that was accepted: the browser shows another page, and a reload sends nothing again.
  static func see(_ place: Place) -> APIAnswer {
    APIAnswer(status: 303, headers: ["location": place.text, "cache-control": "no-store"])
  }

  /// Returns the same answer with the cookies of another one.
  func keepingCookies(of other: APIAnswer) -> APIAnswer {
    var answer = self
    for value in other.headers.all("set-cookie") { answer.headers.add("set-cookie", value) }
    return answer
  }

  /// The JSON of an answer of the API.
  var object: JSONObject {
    guard case .bytes(let bytes) = body else { return [:] }
    return (try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self)))?.object ?? [:]
  }
}
