/// The string literals of a Swift file, each with its first line number; interpolations are kept as written.
///
/// Parses as much of the language as these sources use: comments, `"…"`, `"""…"""`, and interpolations that
/// contain strings.
struct StringLiterals {
  struct Literal: Sendable {
    let text: String
    let line: Int
  }

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var found: [Literal] = []

  static func read(_ source: String) -> [Literal] {
    var reader = StringLiterals(bytes: Array(source.utf8))
    reader.readCode(untilParenthesis: false)
    return reader.found
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private func starts(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { wanted in
      guard bytes[index] == wanted[0], index + wanted.count <= bytes.count else { return false }
      return bytes[index..<index + wanted.count].elementsEqual(wanted)
    }
  }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where index < bytes.count {
      if bytes[index] == 0x0a { line += 1 }
      index += 1
    }
  }

  /// Parses code up to its end, or to the parenthesis that closes an interpolation.
  private mutating func readCode(untilParenthesis: Bool) {
    var depth = 0
    while index < bytes.count {
      if starts("//") {
        while index < bytes.count, bytes[index] != 0x0a { advance() }
      } else if starts("/*") {
        while index < bytes.count, !starts("*/") { advance() }
        advance(2)
      } else if starts("\"\"\"") {
        readLiteral("\"\"\"")
      } else if starts("\"") {
        readLiteral("\"")
      } else {
        if bytes[index] == UInt8(ascii: "(") { depth += 1 }
        if bytes[index] == UInt8(ascii: ")") {
          if untilParenthesis, depth == 0 { return }
          depth -= 1
        }
        advance()
      }
    }
  }

  private mutating func readLiteral(_ quote: StaticString) {
    let start = line
    advance(quote.utf8CodeUnitCount)
    let begin = index
    while index < bytes.count, !starts(quote) {
      if starts("\\(") {
        advance(2)
        readCode(untilParenthesis: true)
        advance()
      } else {
        advance(starts("\\") ? 2 : 1)
      }
    }
    found.append(
      Literal(text: String(decoding: bytes[begin..<min(index, bytes.count)], as: UTF8.self), line: start)
    )
    advance(quote.utf8CodeUnitCount)
  }
}
