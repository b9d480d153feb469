/// A token of the SQL/JSON path language, as PostgreSQL's scanner separates them.
enum PathToken: Hashable {
  /// A string literal with its escapes resolved.
  case string(String)
  /// A word or a number: a field, a method, a keyword or a literal.
  case word(String)
  /// A single character of syntax, such as `$` or `(`.
  case symbol(Character)
  /// A backslash outside of a string, which begins an escape in a word.
  case escape

  /// Returns the tokens of a text. An unclosed string ends with the text; PostgreSQL refuses it.
  static func all(in text: String) -> [PathToken] {
    var scanner = PathScanner(text)
    var tokens: [PathToken] = []
    while let token = scanner.next() { tokens.append(token) }
    return tokens
  }

  /// True if the token is this keyword or method. PostgreSQL ignores their case.
  func isWord(_ name: String) -> Bool {
    if case .word(let word) = self { word.lowercased() == name } else { false }
  }
}

/// Separates a path into tokens, scalar by scalar: a combining mark behind a quote does not change the quote.
private struct PathScanner {
  private static let special = Set("?%$.[]{}()|&!=<>@#,*:-+/".unicodeScalars)
  private static let blank = Set(" \t\n\r\u{c}".unicodeScalars)

  private var rest: Substring.UnicodeScalarView

  init(_ text: String) { rest = text[...].unicodeScalars }

  mutating func next() -> PathToken? {
    rest = rest.drop(while: Self.blank.contains)
    guard let first = rest.popFirst() else { return nil }
    switch first {
    case "\"": return .string(string())
    case "\\": return .escape
    case _ where Self.special.contains(first): return .symbol(Character(first))
    default:
      let more = rest.prefix {
        $0 != "\"" && $0 != "\\" && !Self.blank.contains($0) && !Self.special.contains($0)
      }
      rest = rest.dropFirst(more.count)
      return .word(String(first) + String(more))
    }
  }

  /// Reads a string behind its opening quote.
  private mutating func string() -> String {
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst(), scalar != "\"" {
      text.append(scalar == "\\" ? escaped() : scalar)
    }
    return String(text)
  }

  /// Reads an escape behind its backslash.
  private mutating func escaped() -> Unicode.Scalar {
    guard let kind = rest.popFirst() else { return "\\" }
    switch kind {
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "v": return "\u{b}"
    case "x": return take(digits: 2)
    case "u" where rest.first == "{":
      let digits = rest.dropFirst().prefix { $0 != "}" && $0 != "\"" }
      rest = rest.dropFirst(digits.count + 2)
      return Self.scalar(digits)
    case "u": return take(digits: 4)
    default: return kind
    }
  }

  private mutating func take(digits count: Int) -> Unicode.Scalar {
    let digits = rest.prefix(count)
    rest = rest.dropFirst(count)
    return Self.scalar(digits)
  }

  private static func scalar(_ digits: Substring.UnicodeScalarView) -> Unicode.Scalar {
    UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{fffd}"
  }
}
