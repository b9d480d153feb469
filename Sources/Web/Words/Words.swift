package import Domain
internal import WebFiles

/// The words of pages in one language.
package struct Words: Sendable {
  package let language: Language
  private let texts: [String: String]

  /// The words in English.
  package static let english = Words(.english)
  private static let swedish = Words(.swedish)

  /// Returns the words in a language.
  package static func of(_ language: Language) -> Words { language == .swedish ? swedish : english }

  private init(_ language: Language) {
    self.language = language
    var texts: [String: String] = [:]
    for file in WebFiles.below("words")
    where file.name.hasSuffix(".\(language.rawValue).strings") && !file.name.hasPrefix("field.") {
      // The words of the field app are its own. A test reads every file, so that none is wrong here.
      texts.merge((try? StringsFile(parsing: file.text))?.texts ?? [:]) { first, _ in first }
    }
    self.texts = texts
  }

  /// The keys that have a text.
  package var keys: Set<String> { Set(texts.keys) }

  /// Returns the text of a key, with each `%@` replaced by the next value.
  package func callAsFunction(_ key: String, _ values: String...) -> String {
    Self.filled(texts[key] ?? key, values)
  }

  /// Returns the text for a number of things: that of `key#one` or `key#other`, in which `%@` is the number.
  package func count(_ key: String, _ number: Int, _ values: String...) -> String {
    let text = texts["\(key)#\(number == 1 ? "one" : "other")"] ?? key
    return Self.filled(text, [NumberText(language).text(number)] + values)
  }

  /// Returns the text of a key; nil if this language has none.
  package func known(_ key: String) -> String? { texts[key] }

  private static func filled(_ text: String, _ values: [String]) -> String {
    guard !values.isEmpty else { return text }
    var (filled, rest) = ("", values[...])
    var parts = text.split(separator: "%@", omittingEmptySubsequences: false)[...]
    if let first = parts.popFirst() { filled += first }
    for part in parts { filled += (rest.popFirst() ?? "") + part }
    return filled
  }
}
