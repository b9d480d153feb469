/// The name of a person, company or machine: one visible line of at most 200 characters.
package struct DisplayName: Sendable, Hashable {
  /// The name without white space at its ends.
  package let text: String

  /// Parses a name and removes white space at its ends.
  ///
  /// Invisible characters, and those that change the writing direction, are not accepted: they make different
  /// names look the same.
  ///
  /// - Throws: `invalid_name` for an empty name, such a character, or more than 200 characters.
  package init(parsing input: String) throws(DomainError) {
    let text = input.trimmingSpaces()
    if text.isEmpty { throw DomainError(.invalidName, "the name is empty") }
    if let scalar = text.unicodeScalars.first(where: \.isUnsafeInText) {
      let number = String(scalar.value, radix: 16, uppercase: true)
      throw DomainError(.invalidName, "\(Quoted(text)) contains the invisible character U+\(number)")
    }
    guard text.isVisible else { throw DomainError(.invalidName, "\(Quoted(text)) shows nothing") }
    if text.unicodeScalars.count > 200 {
      throw DomainError(.invalidName, "\(Quoted(text)) is longer than 200 characters")
    }
    self.text = text
  }
}

extension DisplayName: Codable, CustomStringConvertible {
  /// The name.
  package var description: String { text }

  /// Decodes a name from a string.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the name as a string.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
