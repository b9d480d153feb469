/// A static analysis of a predicate in SQL/JSON path notation.
package struct GuardPath: Sendable, Hashable {
  /// The predicate.
  package let text: String

  /// The maximum length of a predicate in bytes.
  package static let longest = 512
  /// The maximum number of filters inside each other. Nine took PostgreSQL three seconds.
  package static let deepest = 2
  /// The maximum time that PostgreSQL spends on the predicates of a record.
  package static let slowest: Duration = .milliseconds(250)

  /// Creates the analysis of any text.
  package init(_ text: String) { self.text = text }

  /// The reason why the predicate exceeds the budget; nil if it does not.
  package var excess: String? {
    if text.utf8.count > Self.longest { return "it is longer than \(Self.longest) bytes" }
    let tokens = PathToken.all(in: text)
    // Rejects notations for fields that ``columns`` does not find.
    if tokens.contains(.escape) { return "it uses \\ outside of a string" }
    var filters: [Bool] = []
    var previous: [PathToken] = []
    for token in tokens {
      if let excess = Self.excess(of: token, after: previous) { return excess }
      if token == .symbol("(") { filters.append(previous.last == .symbol("?")) }
      if token == .symbol(")"), !filters.isEmpty { filters.removeLast() }
      if filters.count(where: { $0 }) > Self.deepest { return "it nests more than \(Self.deepest) filters" }
      previous = previous.suffix(1) + [token]
    }
    return nil
  }

  private static func excess(of token: PathToken, after previous: [PathToken]) -> String? {
    switch (previous.last, token) {
    case (.symbol("*"), .symbol("*")): return previous.first == .symbol(".") ? "it uses .**" : nil
    case (.symbol("."), _) where token.isWord("keyvalue"): return "it uses .keyvalue()"
    case (.symbol("."), .string), (.symbol("["), .string), (.symbol("$"), .string):
      return "it quotes the name of a field"
    case (.symbol("$"), .symbol("[")), (.symbol("/"), .symbol("*")): return "it uses $[ or a comment"
    case (let word?, .string(let pattern)) where word.isWord("like_regex"):
      return hasBackReference(pattern) ? "its regular expression has a back-reference" : nil
    default: return nil
    }
  }

  /// True if a regular expression refers to what a group has matched. Matching such a pattern may take
  /// exponential time.
  private static func hasBackReference(_ pattern: String) -> Bool {
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped, ("1"..."9").contains(scalar) { return true }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return false
  }

  /// The columns that the predicate names as `$.column` or `@.column`, without duplicates.
  ///
  /// Each must exist: in lax mode a misspelt column is not an error, so `!($.misspelt > 3)` would be true.
  package var columns: [String] {
    var found: [String] = []
    let tokens = PathToken.all(in: text)
    for (index, token) in tokens.enumerated().dropFirst(2) {
      guard case .word(let name) = token, tokens[index - 1] == .symbol("."),
        [.symbol("$"), .symbol("@")].contains(tokens[index - 2]), !found.contains(name)
      else { continue }
      found.append(name)
    }
    return found
  }

  /// True if the time to evaluate the predicate hardly depends on the record: it has no regular expression
  /// and no wildcard, and reads none of these columns, which may hold arrays.
  package func isBounded(besides documents: [String]) -> Bool {
    let code = Array(text.utf8)
    guard !code.contains(UInt8(ascii: "*")), !code.contains(UInt8(ascii: "\\")) else { return false }
    func has(_ word: String) -> Bool {
      let word = Array(word.utf8)
      return code.indices.contains { start in
        zip(code[start...], word).allSatisfy { $0 | 0x20 == $1 | 0x20 } && code.count - start >= word.count
      }
    }
    return !has("regex") && !documents.contains(where: has)
  }
}
