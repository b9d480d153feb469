internal import Domain

/// Names in letters to addresses that nobody may have proved.
///
/// Anybody can sign up with the address of a stranger, and invite strangers to a company, so that Fettle would carry
/// whatever they write as a name. Such a letter shows a name only if no reader or mail program can take it for the address
/// of a page or a mailbox, and if it is no longer than a name.
package enum QuotedName {
  /// The maximum number of characters.
  static let limit = 60

  /// Returns a name that may be shown; nil for another one.
  package static func shown(_ name: String?) -> String? {
    guard let name, !name.isEmpty, name.unicodeScalars.count <= limit,
      name.unicodeScalars.allSatisfy(isOfName), !hasInnerDot(name)
    else { return nil }
    return name
  }

  /// True for what names consist of. Other characters, such as the slash and those that look like a dot, are not listed:
  /// programs differ in what they take for an address.
  private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
    if " .,'’&+-–()!".unicodeScalars.contains(scalar) { return true }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .decimalNumber:
      true
    default: false
    }
  }

  /// True if a dot is followed by two letters or digits, as in `evil.example`; false for `J.R. Ewing Co.`
  private static func hasInnerDot(_ name: String) -> Bool {
    let characters = Array(name)
    return characters.indices.contains { index in
      characters[index] == "." && characters.count > index + 2
        && characters[index + 1...index + 2].allSatisfy { $0.isLetter || $0.isNumber }
    }
  }
}
