/// A static analysis of a predicate in SQL/JSON path notation.
package struct GuardPath: Sendable, Hashable {
  /// The predicate.
  package let text: String

  /// The maximum length of a predicate in bytes.
  package static let longest = 512
  /// The maximum number of filters inside each other. Nine took PostgreSQL three seconds.
  package static let deepest = 2

  /// Creates the analysis of any text.
  package init(_ text: String) { self.text = text }

  /// The reason why the predicate exceeds the budget; nil if it does not.
  package var excess: String? {
    if text.utf8.count > Self.longest { return "it is longer than \(Self.longest) bytes" }
    let code = withoutStrings
    if code.contains(".**") { return "it uses .**" }
    let dense = code.removingSpaces()
    if dense.contains(".keyvalue(") { return "it uses .keyvalue()" }
    // Rejects notations for fields that ``columns`` does not find.
    if dense.contains(".\"") || dense.contains("[\"") { return "it quotes the name of a field" }
    if dense.contains("$[") || dense.contains("/*") { return "it uses $[ or a comment" }
    var filters: [Bool] = []
    var previous: Character?
    for character in code where !character.isWhitespace {
      if character == "(" { filters.append(previous == "?") }
      if character == ")", !filters.isEmpty { filters.removeLast() }
      if filters.count(where: { $0 }) > Self.deepest { return "it nests more than \(Self.deepest) filters" }
      previous = character
    }
    return nil
  }

  /// The columns that the predicate names as `$.column` or `@.column`, without duplicates.
  ///
  /// Each must exist: in lax mode a misspelt column is not an error, so `!($.misspelt > 3)` would be true.
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

  /// The predicate with empty string literals, so that their contents are not read as syntax.
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
  /// Returns the text without white space.
  fileprivate func removingSpaces() -> String { filter { !$0.isWhitespace } }
}
