/// The apps that a company uses.
package struct AppChoiceState: Sendable, Hashable {
  /// The names of the enabled apps, sorted.
  package let enabled: [String]
  /// False if the company uses all installed apps, including those installed later.
  package let isChosen: Bool

  package init(enabled: [String], isChosen: Bool = true) {
    self.enabled = Set(enabled).sorted()
    self.isChosen = isChosen
  }
}

/// The number format that a company has chosen for a record type.
package struct NumberFormatState: Sendable, Hashable {
  /// The record type.
  package let type: String
  /// The format of new numbers; existing numbers keep theirs.
  package let format: NumberFormat

  package init(type: String, format: NumberFormat) {
    self.type = type
    self.format = format
  }
}

/// The `numbers:` of a company: a mapping from record types to formats.
struct NumberFormatTexts: Decodable {
  let formats: [NumberFormatState]

  init(from decoder: any Decoder) throws {
    let mapping = try decoder.container(keyedBy: NamedKey.self)
    formats = try mapping.allKeys.map { key in
      let text = try mapping.decode(String.self, forKey: key)
      let format = try DocumentPlace(decoder, key.stringValue).locating { try NumberFormat(text) }
      return NumberFormatState(type: key.stringValue, format: format)
    }
  }
}
