/// The name of a person, company or machine: one visible line of at most 200 characters.
package struct DisplayName: Sendable, Hashable {
  /// The name without surrounding space.
  package let text: String

  /// Parses a name. Invisible characters and those that change the writing direction are refused, since they
  /// make names look alike.
  ///
  /// - Throws: `invalid_name`.
  package init(parsing input: String) throws(DomainError) {
    let text = input.trimmingSpaces()
    if text.isEmpty { throw DomainError(.invalidName, "the name is empty") }
    if let scalar = text.unicodeScalars.first(where: \.isUnsafeInText) {
      let number = String(scalar.value, radix: 16, uppercase: true)
      throw DomainError(.invalidName, "\(Quoted(text)) contains the invisible character U+\(number)")
    }
    if text.unicodeScalars.count > 200 {
      throw DomainError(.invalidName, "\(Quoted(text)) is longer than 200 characters")
    }
    self.text = text
  }
}

extension DisplayName: Codable, CustomStringConvertible {
  /// The name.
  package var description: String { text }

  /// Reads the name from text.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the name as text.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
