/// The encoding `application/x-www-form-urlencoded`, which is also that of a query.
package enum FormCoding {
  /// Returns the pairs as text. Everything but unreserved characters is escaped.
  package static func encode(_ pairs: [(name: String, value: String)]) -> String {
    pairs.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
  }

  /// Returns a text with everything but unreserved characters escaped. A space becomes `%20`, which all decoders read,
  /// also those that do not know the `+` of forms.
  static func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}
