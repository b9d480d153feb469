package import Domain

/// The fields of a form that a browser sent.
package struct FormBody: Sendable {
  /// The most fields of a form.
  private static let most = 500

  /// The fields in order.
  package let fields: [(name: String, value: String)]

  /// A form without fields.
  package init() { fields = [] }

  /// - Throws: `invalid_input` for more fields than a form of ours has.
  package init(_ fields: [(name: String, value: String)]) throws(DomainError) {
    guard fields.count <= Self.most else { throw DomainError(.invalidInput, "the form has too many fields") }
    // Browsers send the ends of lines as CRLF.
    self.fields = fields.map { ($0.name, $0.value.replacing("\r\n", with: "\n")) }
  }

  /// Returns the first value of a field; nil if the form has no such field.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// Returns a field without blanks around it; nil if it is absent or empty.
  package func text(_ name: String) -> String? {
    guard let text = self[name]?.trimmingSpaces(), !text.isEmpty else { return nil }
    return text
  }

  /// Returns a whole number; nil if the field is absent or empty.
  ///
  /// - Throws: `invalid_number` for another text.
  package func whole(_ name: String) throws(DomainError) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text) else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is not a whole number")
    }
    return number
  }

  /// Returns all values of a field.
  package func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// Returns the fields whose names begin with a prefix, without it.
  package func below(_ prefix: String) -> [(name: String, value: String)] {
    fields.compactMap {
      $0.name.hasPrefix(prefix) ? (String($0.name.dropFirst(prefix.count)), $0.value) : nil
    }
  }
}
