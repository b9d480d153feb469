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
    output += "\""
    defer { output += "\"" }
    // Most texts need no escapes and are copied as a whole.
    guard text.utf8.contains(where: { isEscaped($0) || isHidden != nil && $0 >= 0x80 }) else {
      output += text
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F || isHidden?(scalar) == true:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: output.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
