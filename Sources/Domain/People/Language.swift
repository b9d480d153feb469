/// A language of mails: that of the person, otherwise that of the company.
package enum Language: String, Sendable, Hashable, Codable, CaseIterable {
  /// English, the default.
  case english = "en"
  /// Swedish.
  case swedish = "sv"

  /// Reads a language stored in the database; English for null and for one of a newer version.
  package init(stored: String?) { self = stored.flatMap(Language.init(rawValue:)) ?? .english }

  /// Parses `en` or `sv`.
  ///
  /// - Throws: `invalid_input`.
  package init(parsing text: String) throws(DomainError) {
    guard let language = Language(rawValue: text) else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not a language of mails",
        hint: "use one of: \(Self.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    self = language
  }
}
