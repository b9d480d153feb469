/// Static analysis of an SQL/JSON path predicate.
package struct GuardPath: Sendable, Hashable {
  /// The predicate.
  package let text: String

  /// The maximum length of a predicate in bytes.
  package static let longest = 512
  /// The maximum nesting of filters; nine nested ones ran for three seconds.
  package static let deepest = 2

  /// Accepts any text.
  package init(_ text: String) { self.text = text }

  /// The reason why it exceeds the budget; nil if it does not.
  package var excess: String? {
    if text.utf8.count > Self.longest { return "it is longer than \(Self.longest) bytes" }
    let code = withoutStrings
    if code.contains(".**") { return "it uses .**" }
    let dense = code.removingSpaces()
    if dense.contains(".keyvalue(") { return "it uses .keyvalue()" }
    // Notations that name a field and that ``columns`` would miss.
    if dense.contains(".\"") || dense.contains("[\"") { return "it quotes the name of a field" }
    if dense.contains("$[") || dense.contains("/*") { return "it uses $[ or a comment" }
    var filters: [Bool] = []
    var previous: Character?
    for character in code where !character.isWhitespace {
      if character == "(" { filters.append(previous == "?") }
      if character == ")", !filters.isEmpty { filters.removeLast() }
      if filters.count(where: { $0 }) > Self.deepest { return "filters stand in filters" }
      previous = character
    }
    return nil
  }

  /// The columns named as `$.column` or `@.column`, without duplicates.
  ///
  /// In lax mode a misspelt column is missing, not an error, and `!($.misspelt > 3)` is true; so each has to
  /// exist.
  package var columns: [String] {
    var found: [String] = []
    let code = withoutStrings.removingSpaces().split(separator: "@.", omittingEmptySubsequences: false)
    let parts = code.joined(separator: "$.").split(separator: "$.", omittingEmptySubsequences: false)
    for part in parts.dropFirst() {
      let name = String(part.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
      if !name.isEmpty, !found.contains(name) { found.append(name) }
    }
    return found
  }

  /// The predicate with empty strings in place of its string literals, so that text in them is not parsed as
  /// syntax.
  private var withoutStrings: String {
    var result = ""
    var isInside = false
    var isEscaped = false
    for character in text {
      if isEscaped {
        isEscaped = false
      } else if isInside, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isInside.toggle()
        result.append(character)
      } else if !isInside {
        result.append(character)
      }
    }
    return result
  }
}

extension String {
  /// The text without any white space.
  fileprivate func removingSpaces() -> String { filter { !$0.isWhitespace } }
}
