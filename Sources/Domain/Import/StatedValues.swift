/// A word of a file, and what it means in a field.
package struct WordMeaning: Sendable, Codable, Equatable {
  package let field: String
  package let word: String
  package let meaning: String

  package init(field: String, word: String, meaning: String) {
    self.field = field
    self.word = word
    self.meaning = meaning
  }
}

/// What the words of a file mean in a field, as the user states it: `priority:High=1,Low=3`.
package struct StatedValues: Sendable, Equatable {
  /// The meanings of folded words, by field.
  private var meanings: [String: [String: String]] = [:]

  private init() {}

  /// Nothing is stated.
  package static let none = StatedValues()

  /// Parses texts such as `priority:High=1,Low=3`. A part without `=` belongs to the word of the next part, and an
  /// empty meaning is an empty cell.
  ///
  /// - Throws: `invalid_input` for another form, and for a word with two meanings.
  package init(parsing texts: [String]) throws(DomainError) {
    for text in texts {
      guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { throw Self.refusal(text) }
      let field = Self.trimmed(text[..<colon])
      var words: [Substring] = []
      for part in text[text.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false) {
        guard let sign = part.firstIndex(of: "=") else {
          words.append(part)
          continue
        }
        let word = (words + [part[..<sign]]).joined(separator: ",")
        words = []
        guard !Self.folded(word).isEmpty else { throw Self.refusal(text) }
        let meaning = String(part[part.index(after: sign)...])
        try add(WordMeaning(field: field, word: word, meaning: meaning))
      }
      guard words.isEmpty, meanings[field] != nil else { throw Self.refusal(text) }
    }
  }

  /// - Throws: `invalid_input` for a word with two meanings.
  package init(_ meanings: [WordMeaning]) throws(DomainError) {
    for meaning in meanings { try add(meaning) }
  }

  private mutating func add(_ one: WordMeaning) throws(DomainError) {
    let (word, meaning) = (Self.folded(one.word), Self.trimmed(one.meaning[...]))
    guard meanings[one.field, default: [:]].updateValue(meaning, forKey: word) ?? meaning == meaning else {
      throw DomainError(.invalidInput, "--values gives \(Quoted(word)) two meanings for \(one.field)")
    }
  }

  /// The fields for which meanings are stated.
  package var fields: [String] { meanings.keys.sorted() }

  /// Returns the meaning of a cell in a field, in any case; nil if none is stated.
  package func meaning(of cell: String, in field: String) -> String? {
    guard let words = meanings[field] else { return nil }
    return words[Self.folded(cell)]
  }

  private static func refusal(_ text: String) -> DomainError {
    DomainError(
      .invalidInput,
      "--values: \(Quoted(text)) is not field:word=value",
      hint: "write --values priority:High=1,Low=3"
    )
  }

  private static func folded(_ text: String) -> String { trimmed(text[...]).lowercased() }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
