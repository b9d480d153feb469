internal import Domain
internal import Secrets

/// A signed JSON Web Token in compact form, taken apart and not yet verified.
struct CompactToken {
  /// The maximum length of a token in bytes.
  static let limit = 16_384

  let header: JSONObject
  let payload: JSONObject
  let signature: [UInt8]
  /// The bytes that are signed: header and payload as sent.
  let signed: [UInt8]

  /// Takes a token apart. Base64 and JSON have one reading each: padding, other alphabets, repeated keys and
  /// invalid UTF-8 are refused.
  ///
  /// - Throws: ``IDTokenFault/malformed``.
  init(parsing text: String) throws(IDTokenFault) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.limit, parts.count == 3,
      let header = Self.object(parts[0]),
      let payload = Self.object(parts[1]),
      let signature = Base64.decode(String(parts[2]), alphabet: .url)
    else { throw .malformed }
    self.header = header
    self.payload = payload
    self.signature = signature
    signed = Array("\(parts[0]).\(parts[1])".utf8)
  }

  private static func object(_ part: Substring) -> JSONObject? {
    guard let bytes = Base64.decode(String(part), alphabet: .url),
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    return (try? JSONValue(parsing: text))?.object  // text that is not JSON is a malformed token
  }
}
