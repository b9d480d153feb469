/// Static analysis of an SQL/JSON path predicate.
package struct GuardPath: Sendable, Hashable {
  /// The predicate.
  package let text: String

  /// The longest predicate in bytes.
  package static let longest = 512
  /// Maximum nesting of filters; nine nested ones ran for three seconds.
  package static let deepest = 2

  /// Takes any text.
  package init(_ text: String) { self.text = text }

  /// Reason why it is over the budget; nil when it is not.
  package var excess: String? {
    if text.utf8.count > Self.longest { return "it is longer than \(Self.longest) bytes" }
    let code = withoutStrings
    if code.contains(".**") { return "it uses .**" }
    let dense = code.removingSpaces()
    if dense.contains(".keyvalue(") { return "it uses .keyvalue()" }
    // Ways to name a field that columns would overlook.
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

  /// The columns it names as `$.column` or `@.column`, each once.
  ///
  /// In lax mode a misspelt one is missing, not wrong, and `!($.misspelt > 3)` is true; so each has to exist.
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

  /// The predicate with the contents of its strings left out, so that text in them is not taken for syntax.
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
