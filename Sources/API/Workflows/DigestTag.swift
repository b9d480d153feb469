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
    let digest = SHA256.hash(site + JSONValue.object(kept).canonicalText)
    let tag = "\"\(Hex.encode(digest.prefix(12)))\""
    let headers: APIHeaders = [
      "etag": tag, "cache-control": "private, no-cache", "vary": "authorization, cookie",
    ]
    let known = (request.headers["if-none-match"] ?? "").split(separator: ",").map { part in
      let part = String(part).trimmingSpaces()
      return part.hasPrefix("W/") ? String(part.dropFirst(2)) : part
    }
    if known.contains(tag) || known == ["*"] { return APIAnswer(status: 304, headers: headers) }
    return .json(json, headers: headers)
  }
}
