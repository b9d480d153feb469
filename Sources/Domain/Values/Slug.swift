/// A short name for commands and URLs, such as `acme` or `nord-markierung`.
package struct Slug: Sendable, Hashable, Comparable {
  /// The short name in lower case.
  package let text: String

  /// Parses a short name: 2 to 40 characters a-z, 0-9 and single dashes, beginning with a letter and not
  /// ending with a dash.
  ///
  /// A text in the form of a UUID is not accepted, so that commands can take a slug or an id.
  ///
  /// - Throws: `invalid_slug`.
  package init(parsing text: String) throws(DomainError) {
    let bytes = Array(text.utf8)
    let isShaped =
      (2...40).contains(bytes.count) && Identifier.isWord(text.prefix(1)) && bytes.last != UInt8(ascii: "-")
      && bytes.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
      && !text.contains("--")
    let looksLikeID = bytes.count == 36 && text.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12]
    guard isShaped, !looksLikeID else {
      throw DomainError(.invalidSlug, "\(Quoted(text)) is not a short name")
    }
    self.text = text
  }

  /// Derives a slug from a name, such as `nord-markierung` from `Nord Markierung`; nil if fewer than two
  /// characters remain.
  package init?(suggestedFor name: String) {
    var text = ""
    for character in name.lowercased() {
      if character.isASCII, character.isLetter || character.isNumber {
        text.append(character)
      } else if !text.isEmpty, text.last != "-" {
        text.append("-")
      }
    }
    text = String(text.drop { !$0.isLetter }.prefix(40))
    while text.last == "-" { text.removeLast() }
    try? self.init(parsing: text)  // a name without Latin letters has no slug
  }

  package static func < (left: Slug, right: Slug) -> Bool { left.text < right.text }
}

extension Slug: Codable, CustomStringConvertible {
  /// The short name.
  package var description: String { text }

  /// Decodes a short name from a string.
  ///
  /// - Throws: `invalid_slug`.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the short name as a string.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
