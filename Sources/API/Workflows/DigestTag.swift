package import Domain
internal import Secrets

/// Entity tags of answers that are computed: a digest of the body.
package enum DigestTag {
  /// Returns an answer with an `ETag`, or 304 if the request has the same one.
  ///
  /// - Parameters:
  ///   - ignored: the members that the tag ignores, because they change all the time.
  ///   - site: the resource that the tag belongs to.
  package static func answer(
    _ json: JSONObject,
    without ignored: Set<String> = [],
    site: String,
    to request: APIRequest
  ) -> APIAnswer {
    let kept = JSONObject(json.members.filter { !ignored.contains($0.key) }.map { ($0.key, $0.value) })
    let tag = Self.tag(site + JSONValue.object(kept).canonicalText)
    guard isNew(tag, to: request) else { return APIAnswer(status: 304, headers: headers(tag)) }
    return .json(json, headers: headers(tag))
  }

  /// Returns an answer that was made already with an `ETag`, or 304 if the request has the same one.
  package static func answer(_ made: APIAnswer, site: String, to request: APIRequest) -> APIAnswer {
    guard case .bytes(let bytes) = made.body else { return made }
    let tag = Self.tag(site + String(decoding: bytes, as: UTF8.self))
    var answer = isNew(tag, to: request) ? made : APIAnswer(status: 304)
    for field in headers(tag).fields { answer.headers[field.name] = field.value }
    return answer
  }

  private static func tag(_ text: String) -> String {
    "\"\(Hex.encode(SHA256.hash(text).prefix(12)))\""
  }

  private static func headers(_ tag: String) -> APIHeaders {
    ["etag": tag, "cache-control": "private, no-cache", "vary": "authorization, cookie"]
  }

  private static func isNew(_ tag: String, to request: APIRequest) -> Bool {
    let known = (request.headers["if-none-match"] ?? "").split(separator: ",").map { part in
      let part = String(part).trimmingSpaces()
      return part.hasPrefix("W/") ? String(part.dropFirst(2)) : part
    }
    return !known.contains(tag) && known != ["*"]
  }
}
