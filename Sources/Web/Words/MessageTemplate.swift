/// An English message with a place for each value, and its text in another language.
struct MessageTemplate: Sendable {
  let english: String
  let text: String
  private let parts: [Substring]

  /// - Parameters:
  ///   - english: the message, with `%@` for each value.
  ///   - text: the text, with `%@` for each value in the same order.
  init(_ english: String, _ text: String) {
    self.english = english
    self.text = text
    parts = english.split(separator: "%@", omittingEmptySubsequences: false)
  }

  /// The number of characters that are no value.
  var literals: Int { parts.reduce(0) { $0 + $1.count } }

  /// Returns the values of a message, and which of them stand in quotation marks; nil for another message.
  func values(in message: String) -> [(value: String, isQuoted: Bool)]? {
    guard let first = parts.first, let last = parts.last else { return nil }
    guard parts.count > 1 else { return message == english ? [] : nil }
    guard message.hasPrefix(first), message.count >= literals, message.hasSuffix(last) else { return nil }
    var rest = message.dropFirst(first.count).dropLast(last.count)
    var values: [(value: String, isQuoted: Bool)] = []
    var isQuoted = first.hasSuffix("\"")
    for part in parts.dropFirst().dropLast() {
      guard let range = rest.firstRange(of: part) else { return nil }
      values.append((String(rest[..<range.lowerBound]), isQuoted))
      rest = rest[range.upperBound...]
      isQuoted = part.hasSuffix("\"")
    }
    return values + [(String(rest), isQuoted)]
  }
}
