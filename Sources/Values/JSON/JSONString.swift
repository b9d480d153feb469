/// Writes text as a JSON string (RFC 8259).
package enum JSONString {
  /// Appends the text in quotation marks, with escapes where JSON requires them and for DEL.
  ///
  /// - Parameter isHidden: true for non-ASCII characters to escape too, such as those that act on a terminal.
  ///   Parsers read the same text.
  package static func append(
    _ text: String,
    to output: inout String,
    escaping isHidden: ((Unicode.Scalar) -> Bool)? = nil
  ) {
    // Most texts need no escapes and are copied as a whole.
    if text.utf8.contains(where: { isEscaped($0) || isHidden != nil && $0 >= 0x80 }) {
      var bytes: [UInt8] = []
      appendEscaped(text, to: &bytes, isHidden)
      output += "\"\(String(decoding: bytes, as: UTF8.self))\""
    } else {
      output += "\"\(text)\""
    }
  }

  /// Appends the text in quotation marks as UTF-8, with escapes where JSON requires them and for DEL.
  package static func append(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    defer { output.append(UInt8(ascii: "\"")) }
    if text.utf8.contains(where: isEscaped) {
      appendEscaped(text, to: &output, nil)
    } else {
      output += text.utf8
    }
  }

  private static func appendEscaped(
    _ text: String,
    to output: inout [UInt8],
    _ isHidden: ((Unicode.Scalar) -> Bool)?
  ) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\"".utf8
      case "\\": output += "\\\\".utf8
      case "\n": output += "\\n".utf8
      case "\r": output += "\\r".utf8
      case "\t": output += "\\t".utf8
      case _ where scalar.value < 0x20 || scalar.value == 0x7F || isHidden?(scalar) == true:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          output += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
        }
      default: output += String(scalar).utf8
      }
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
