internal import Secrets

/// The transfer encoding quoted-printable (RFC 2045, section 6.7) of text.
enum QuotedPrintable {
  /// The maximum length of a line, without its end.
  private static let width = 76

  /// Returns the text in lines of at most 76 ASCII characters with CRLF. Line ends of every kind become CRLF,
  /// and the text ends with one.
  static func encode(_ text: String) -> String {
    var encoded = ""
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if lines.last?.isEmpty == true { lines.removeLast() }
    for line in lines { append(Array(line.utf8), to: &encoded) }
    return encoded
  }

  private static func append(_ line: [UInt8], to encoded: inout String) {
    var used = 0
    for (index, byte) in line.enumerated() {
      let isLast = index == line.count - 1
      let word = self.word(byte, isLast: isLast)
      // The last column of a line that goes on is for the soft line break.
      if used + word.utf8.count > (isLast ? width : width - 1) {
        encoded += "=\r\n"
        used = 0
      }
      encoded += word
      used += word.utf8.count
    }
    encoded += "\r\n"
  }

  private static func word(_ byte: UInt8, isLast: Bool) -> String {
    let isBlank = byte == 0x20 || byte == 0x09
    // White space at the end of a line may be removed on the way.
    let isLiteral = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") || isBlank && !isLast
    return isLiteral
      ? String(Character(UnicodeScalar(byte))) : "=\(Hex.encode([byte]).uppercased())"
  }
}
