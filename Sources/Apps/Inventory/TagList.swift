package import Domain

/// The tags of an item: trimmed, distinct regardless of case, in the order in which they were written.
package struct TagList: Sendable, Hashable {
  package let tags: [String]

  /// Maximum length of a tag in characters.
  private static let longest = 60
  /// Maximum number of tags of an item.
  private static let most = 50

  /// Creates a list of the distinct words.
  ///
  /// - Throws: `invalid_input` for an empty tag, one with more than 60 characters, a comma or a control
  ///   character, and for more than 50 tags.
  package init(_ words: some Sequence<String>) throws(DomainError) {
    var seen: Set<String> = []
    var tags: [String] = []
    for word in words {
      let tag = try Self.tag(word)
      if seen.insert(Self.key(of: tag)).inserted { tags.append(tag) }
    }
    guard tags.count <= Self.most else {
      throw DomainError(.invalidInput, "an item has at most \(Self.most) tags, not \(tags.count)")
    }
    self.tags = tags
  }

  /// Creates a list from JSON: an array of strings, a comma-separated text, or null for no tags.
  ///
  /// - Throws: `invalid_input` for any other value, an invalid tag, or more than 50 tags.
  package init(_ value: JSONValue) throws(DomainError) {
    switch value {
    case .null: try self.init([String]())
    case .string(let text):
      try self.init(text.split(separator: ",").map { String($0).trimmingSpaces() }.filter { !$0.isEmpty })
    case .array(let elements):
      var words: [String] = []
      for element in elements {
        guard let word = element.string else {
          throw DomainError(.invalidInput, "tags: \(Quoted(element.text)) is not a word")
        }
        words.append(word)
      }
      try self.init(words)
    default: throw DomainError(.invalidInput, "tags: \(Quoted(value.text)) is not a list of words")
    }
  }

  /// Returns a tag as it is stored, without spaces around it.
  ///
  /// - Throws: `invalid_input` for an empty tag, or one with more than 60 characters, a comma or a control
  ///   character.
  package static func tag(_ word: String) throws(DomainError) -> String {
    let tag = word.trimmingSpaces()
    let isPlain = !tag.unicodeScalars.contains { $0.value < 0x20 || $0 == "," }
    guard tag.isVisible, tag.count <= longest, isPlain else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(word)) cannot be a tag",
        hint: "write 1 to \(longest) characters, without commas and line breaks"
      )
    }
    return tag
  }

  /// Returns the form in which tags are compared: trimmed, in lower case.
  package static func key(of tag: String) -> String { tag.trimmingSpaces().lowercased() }

  /// Returns true if the list contains a tag, regardless of case.
  package func contains(_ tag: String) -> Bool { tags.contains { Self.key(of: $0) == Self.key(of: tag) } }

  /// Returns the list with each of the tags `old` replaced by `new`. Repetitions of `new` are dropped.
  package func replacing(_ old: [String], with new: String) throws(DomainError) -> TagList {
    let keys = Set(old.map(Self.key))
    return try TagList(tags.map { keys.contains(Self.key(of: $0)) ? new : $0 })
  }
}
