package import Domain

/// The type of a day that a goal applies to, for carbohydrate cycling over the week.
package enum DayType: String, Sendable, Codable, CaseIterable {
  case `default`
  case highCarb = "high_carb"
  case lowCarb = "low_carb"
  case rest

  /// Refuses text that is not a day type. Accepts nil and values that are not text.
  ///
  /// - Throws: `invalid_input`.
  package static func require(_ value: JSONValue?) throws(DomainError) {
    guard let text = value?.string else { return }
    _ = try DayType(parsing: text)
  }

  /// Parses a day type in upper or lower case, with `_` or `-`, such as `high-carb`.
  ///
  /// - Throws: `invalid_input` for any other text.
  package init(parsing text: String) throws(DomainError) {
    let word = text.lowercased().split(separator: "-", omittingEmptySubsequences: false).joined(
      separator: "_"
    )
    guard let type = DayType(rawValue: word) else {
      let names = Self.allCases.map(\.rawValue)
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not a day type",
        hint: Suggestion.closest(to: word, among: names).map { "did you mean \($0)?" }
          ?? "use one of: \(names.joined(separator: ", "))"
      )
    }
    self = type
  }
}

/// A day of the week as in ISO 8601: 1 is Monday, 7 is Sunday.
package enum Weekday: Int, Sendable, CaseIterable {
  case monday = 1, tuesday, wednesday, thursday, friday, saturday, sunday

  /// Parses an English name or its first three letters, in upper or lower case.
  ///
  /// - Throws: `invalid_input` for any other text.
  package init(parsing text: String) throws(DomainError) {
    let word = text.lowercased()
    guard let day = Self.allCases.first(where: { $0.name == word || $0.name.prefix(3) == word }) else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not a day of the week",
        hint: "write it like monday or mon"
      )
    }
    self = day
  }

  /// The English name in lower case.
  package var name: String { "\(self)" }
}
