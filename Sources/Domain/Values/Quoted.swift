/// User text for a message: on one line, visible, and at most 60 characters long.
///
/// Control characters and those that change the writing direction are printed as numbers, so that a name
/// cannot control the terminal.
package struct Quoted: Sendable, CustomStringConvertible {
  private let text: String

  /// - Parameter text: any text.
  package init(_ text: String) { self.text = text }

  /// The text in quotation marks, truncated to 60 characters.
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
  /// True if names and addresses must not contain the character: controls, line and paragraph separators,
  /// marks that change the writing direction, invisible tags, and noncharacters.
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
