package import Domain

/// The name of a file, as people see it. It is never part of a path.
package enum FileName {
  /// The maximum number of characters.
  package static let longest = 200

  /// Returns a name without folders, control characters and characters that reverse the direction of text.
  ///
  /// - Throws: `invalid_name` for a name without usable characters, or one that is too long.
  package static func checked(_ text: String) throws(DomainError) -> String {
    let last = text.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
    let plain = String(String.UnicodeScalarView(last.unicodeScalars.filter(isShown))).trimmingSpaces()
    guard plain.isVisible, plain != ".", plain != ".." else {
      throw DomainError(.invalidName, "the file has no name", hint: "give it a name such as pump.jpg")
    }
    guard plain.unicodeScalars.count <= longest else {
      throw DomainError(.invalidName, "the name of the file is longer than \(longest) characters")
    }
    return plain
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
