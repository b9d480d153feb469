internal import Domain
internal import Web

/// What went wrong, in the person's words.
enum ErrorWords {
  /// Returns the words for an error: those for its code in the language, otherwise the message.
  ///
  /// A message in English names the value and is better than a general word, unless it was written for programs.
  static func text(_ error: DomainError, _ words: Words) -> String {
    if let known = words.known("error.\(error.code.rawValue)") { return known }
    guard words.language == .english else { return words("error.other") }
    return sentence(error.message)
  }

  /// Returns a message without the name of the field in front, as a sentence.
  static func text(_ error: DomainError, field: String, _ words: Words) -> String {
    if let known = words.known("error.\(error.code.rawValue)") { return known }
    guard words.language == .english else { return words("error.value") }
    let prefix = "\(field): "
    return sentence(
      error.message.hasPrefix(prefix) ? String(error.message.dropFirst(prefix.count)) : error.message
    )
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }

  /// The fields that an error names.
  static func fields(_ error: DomainError) -> [String] {
    error.details["fields"]?.array?.compactMap(\.string) ?? []
  }
}
