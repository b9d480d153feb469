internal import Domain
internal import Web

/// What went wrong, in the person's words.
enum ErrorWords {
  /// Returns the words for an error: those for its code in the language, otherwise the message.
  ///
  /// A message in English names the value and is better than a general word, unless it was written for programs.
  static func text(_ error: DomainError, _ words: Words) -> String {
    if isToldByReason(error.code, error.message),
      let said = words.language == .english ? error.message : words.said(error.message, named: { _ in nil })
    {
      return sentence(said)
    }
    if let known = words.known("error.\(error.code.rawValue)") { return known }
    guard words.language == .english else { return words("error.other") }
    return sentence(error.message)
  }

  /// Returns the words for an error about records of a type, with its columns as people know them.
  static func text(_ error: DomainError, _ terms: TypeWords, _ moments: Moments) -> String {
    text(error, error.message, terms, moments) ?? terms.words("error.other")
  }

  /// Returns the words for an error, without the name of the field in front.
  static func text(_ error: DomainError, field: String, _ terms: TypeWords, _ moments: Moments) -> String {
    let prefix = "\(field): "
    let message =
      error.message.hasPrefix(prefix) ? String(error.message.dropFirst(prefix.count)) : error.message
    return text(error, message, terms, moments) ?? terms.words("error.value")
  }

  /// The words for a code in English replace its messages; in another language, a message that it has says more.
  private static func text(_ error: DomainError, _ message: String, _ terms: TypeWords, _ moments: Moments)
    -> String?
  {
    let key = "error.\(error.code.rawValue)"
    if Words.english.known(key) == nil || isToldByReason(error.code, message),
      let said = terms.known(message: message)
    {
      return sentence(said, moments)
    }
    return terms.words.known(key)
  }

  /// True for a code that is used for several reasons, if the message names the reason. A text that is not a number is
  /// answered by an example instead.
  private static func isToldByReason(_ code: ErrorCode, _ message: String) -> Bool {
    [.invalidNumber, .invalidName].contains(code) && message != code.title
      && !message.hasSuffix("is not a number")
  }

  /// Returns a message as a sentence, with its times as people read them.
  static func sentence(_ message: String, _ moments: Moments? = nil) -> String {
    let text = moments?.within(message) ?? message
    return text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }

  /// The fields that an error names.
  static func fields(_ error: DomainError) -> [String] {
    error.details["fields"]?.array?.compactMap(\.string) ?? []
  }
}
