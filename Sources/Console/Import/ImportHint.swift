internal import API
internal import Domain
internal import Web

/// What resolves the fault of a file, for a page, where the options of `fettle record import` are fields.
enum ImportHint {
  /// The words of the field, or of the part of the page, that does what an option does.
  private static let fields: [(option: String, word: String)] = [
    ("--create-missing", "import.create_missing"), ("--decimal", "import.decimal"),
    ("--thousands", "import.thousands"), ("--date-format", "import.dates"),
    ("--delimiter", "import.delimiter"),
    ("--encoding", "import.encoding"), ("--heading-line", "import.heading_line"),
    ("--last-line", "import.last_line"), ("--values", "import.words"), ("--set", "import.fixed"),
    ("--map", "import.columns"),
  ]

  /// Returns a hint in the words of the page; nil if it names only what the page does not have.
  static func text(_ error: DomainError, _ words: Words) -> String? {
    let named = fields.filter { APIHint.names(error.hint, option: $0.option) }
    guard named.isEmpty else {
      return words("import.see", named.map { words($0.word) }.joined(separator: ", "))
    }
    guard !error.hint.isEmpty, !APIHint.namesCommand(error.hint) else { return nil }
    return words.language == .english ? error.hint : words.said(error.hint) { _ in nil }
  }

  /// Returns what is wrong with a file, with the page's fields in place of options.
  static func message(_ error: DomainError, _ terms: TypeWords) -> String {
    let words = terms.words
    var text =
      terms.known(message: error.message).map { ErrorWords.sentence($0) } ?? ErrorWords.text(error, words)
    for field in fields where APIHint.names(text, option: field.option) {
      text = text.replacing(field.option, with: words(field.word))
    }
    return text
  }

  /// Returns the reason of a refusal without what an option would do about it: the page has a field for that beside it.
  static func reason(_ reason: String) -> String {
    guard let option = reason.firstRange(of: "; --") else { return reason }
    return String(reason[..<option.lowerBound])
  }
}
