package import Domain

/// The words by which an item is found: trimmed, each once whatever the case, in the order they were written.
package struct TagList: Sendable, Hashable {
  /// The words.
  package let tags: [String]

  /// The longest a tag may be, in characters.
  private static let longest = 60
  /// How many an item may have.
  private static let most = 50

  /// - Throws: `invalid_input` for an empty or overlong tag, one with a comma or a line break, or too many.
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

  /// The tags that JSON holds: an array of strings, or words with commas between them.
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

  /// One tag as it is stored.
  package static func tag(_ word: String) throws(DomainError) -> String {
    let tag = word.trimmingSpaces()
    let isPlain = !tag.unicodeScalars.contains { $0.value < 0x20 || $0 == "," }
    guard !tag.isEmpty, tag.count <= longest, isPlain else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(word)) cannot be a tag",
        hint: "A tag has 1 to \(longest) characters and no comma."
      )
    }
    return tag
  }

  /// How two tags are compared: in lower case.
  package static func key(of tag: String) -> String { tag.trimmingSpaces().lowercased() }

  /// Whether a tag is among them, in any case of letters.
  package func contains(_ tag: String) -> Bool { tags.contains { Self.key(of: $0) == Self.key(of: tag) } }

  /// The list with some of its tags replaced by one, at the place of the first.
  package func replacing(_ old: [String], with new: String) throws(DomainError) -> TagList {
    let keys = Set(old.map(Self.key))
    return try TagList(tags.map { keys.contains(Self.key(of: $0)) ? new : $0 })
  }
}
