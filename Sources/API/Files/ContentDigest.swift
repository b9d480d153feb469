internal import Domain
internal import FoundationEssentials

/// The SHA-256 of a body in `Content-Digest` or `Repr-Digest` (RFC 9530).
enum ContentDigest {
  /// Returns the digest that a request declares; nil if it declares none with SHA-256.
  ///
  /// - Throws: `invalid_input` for a malformed digest, or two different ones.
  static func sha256(of headers: APIHeaders) throws -> [UInt8]? {
    let fields = (headers.all("content-digest") + headers.all("repr-digest")).flatMap {
      $0.split(separator: ",")
    }
    var found: [UInt8]?
    for field in fields {
      let text = field.filter { $0 != " " && $0 != "\t" }
      guard text.lowercased().hasPrefix("sha-256=") else { continue }
      let value = text.dropFirst("sha-256=".count)
      guard value.count > 2, value.hasPrefix(":"), value.hasSuffix(":"),
        let data = Data(base64Encoded: String(value.dropFirst().dropLast())), data.count == 32,
        found == nil || found == Array(data)
      else { throw DomainError(.invalidInput, "the digest of the body is malformed") }
      found = Array(data)
    }
    return found
  }
}
