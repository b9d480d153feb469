package import Domain
internal import WebFiles

/// The words of pages in one language.
package struct Words: Sendable {
  package let language: Language
  private let texts: [String: String]
  /// The messages that have a text, with the longest first.
  private let templates: [MessageTemplate]

  /// The words in English.
  package static let english = Words(.english)
  private static let swedish = Words(.swedish)

  /// Returns the words in a language.
  package static func of(_ language: Language) -> Words { language == .swedish ? swedish : english }

  private init(_ language: Language) {
    self.language = language
    var (texts, messages): ([String: String], [String: String]) = ([:], [:])
    for file in WebFiles.below("words")
    where file.name.hasSuffix(".\(language.rawValue).strings") && !file.name.hasPrefix("field.") {
      // The words of the field app are its own. A test reads every file, so that none is wrong here.
      let words = (try? StringsFile(parsing: file.text))?.texts ?? [:]
      if file.name.hasPrefix("messages.") {
        messages = words
      } else {
        texts.merge(words) { first, _ in first }
      }
    }
    self.texts = texts
    templates = messages.map { MessageTemplate($0.key, $0.value) }.sorted {
      // The longer of two that a message fits says more.
      ($1.literals, $0.english) < ($0.literals, $1.english)
    }
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

  /// Returns an English message in this language, with its values; nil for a message that it lacks.
  ///
  /// - Parameter named: what a value is called, unless it is quoted in the message.
  package func said(_ message: String, named: (String) -> String?) -> String? {
    for template in templates {
      guard let values = template.values(in: message) else { continue }
      return Self.filled(
        template.text,
        values.map { $0.isQuoted ? $0.value : named($0.value) ?? known(thing: $0.value) ?? amount($0.value) }
      )
    }
    return nil
  }

  /// Returns the text of a message without values, such as what a message calls a member.
  private func known(thing: String) -> String? { templates.first { $0.english == thing }?.text }

  /// Returns a value with its decimals as people write them, such as `12.5 km`; another value as it is.
  private func amount(_ value: String) -> String {
    let number = value.prefix { $0 != " " }
    return number.contains(".")
      ? NumberText(language).text(decimal: String(number)) + value[number.endIndex...] : value
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
