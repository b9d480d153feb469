/// Text of a user, for a message: in quotation marks, on one line, at most 60 characters.
///
/// Control characters, and those that change the writing direction, are printed as numbers, so that a text
/// cannot control the terminal.
package struct Quoted: Sendable, CustomStringConvertible {
  private let text: String

  /// Creates the quotation of a text.
  package init(_ text: String) { self.text = text }

  /// The text in quotation marks. After 60 characters it is cut, and an ellipsis is added.
  package var description: String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(60) {
      if scalar.isUnsafeInText || scalar == "\"" {
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return "\"\(shown)\(text.unicodeScalars.count > 60 ? "…" : "")\""
  }
}

extension Unicode.Scalar {
  /// True if names and addresses must not contain the character: control characters, line and paragraph
  /// separators, marks that change the writing direction, other invisible characters, and noncharacters.
  package var isUnsafeInText: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F: true  // controls
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // writing direction
    case 0x2028, 0x2029: true  // separators
    case 0x200B, 0x2060, 0xFEFF: true  // invisible
    case 0xE0000...0xE007F, 0xFFF9...0xFFFB: true  // tags, annotations
    case 0xFDD0...0xFDEF: true  // noncharacters
    default: value & 0xFFFE == 0xFFFE
    }
  }
}
