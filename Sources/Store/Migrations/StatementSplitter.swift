/// One statement of a migration with its position.
package struct ScriptStatement: Sendable, Equatable {
  /// The statement without its closing semicolon.
  package let text: String
  /// The line number of its first word, from 1.
  package let line: Int
}

/// Splits a migration into single statements, so that a failure can name its line.
///
/// Recognises everything that may contain a semicolon: `'…'` and `E'…'`, `"…"`, `$tag$…$tag$`, `--` comments
/// and nested `/* */` comments. A body written as `begin atomic … end` is one statement as well.
package struct StatementSplitter {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var statement: [UInt8] = []
  private var startLine = 1
  private var atomicDepth = 0
  private var caseDepth = 0
  private var word: [UInt8] = []
  private var previousWord = ""
  private var statements: [ScriptStatement] = []

  private init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Returns the statements of `text` in order, without the comments between them.
  package static func split(_ text: String) -> [ScriptStatement] {
    var splitter = StatementSplitter(text)
    splitter.run()
    return splitter.statements
  }

  private mutating func run() {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "'"):
        endWord()
        let escapes = previousIsEscapePrefix
        copyQuoted(UInt8(ascii: "'"), backslashEscapes: escapes)
      case UInt8(ascii: "\""):
        endWord()
        copyQuoted(UInt8(ascii: "\""), backslashEscapes: false)
      case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"):
        endWord()
        skipLineComment()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
        endWord()
        skipBlockComment()
      case UInt8(ascii: "$") where word.isEmpty:
        if let tag = dollarTag() { copyDollarQuoted(tag) } else { copyByte() }
      case UInt8(ascii: ";"):
        // First the preceding word, which may be the `end` of the body.
        endWord()
        guard atomicDepth == 0 else {
          copyByte()
          continue
        }
        index += 1
        finish()
      case let byte where isWordByte(byte):
        word.append(byte | 0x20)
        copyByte()
      default:
        endWord()
        copyByte()
      }
    }
    endWord()
    finish()
  }

  private var previousIsEscapePrefix: Bool {
    guard let last = statement.last, last | 0x20 == UInt8(ascii: "e") else { return false }
    return statement.count < 2 || !isWordByte(statement[statement.count - 2])
  }

  private func peek(_ offset: Int) -> UInt8? {
    index + offset < bytes.count ? bytes[index + offset] : nil
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte == 0x5f || byte >= 0x80
      || (byte >= 0x30 && byte <= 0x39)
  }

  private mutating func copyByte() {
    if statement.isEmpty {
      if bytes[index] == 0x20 || bytes[index] == 0x0a || bytes[index] == 0x09 || bytes[index] == 0x0d {
        if bytes[index] == 0x0a { line += 1 }
        index += 1
        return
      }
      startLine = line
    }
    if bytes[index] == 0x0a { line += 1 }
    statement.append(bytes[index])
    index += 1
  }

  /// Tracks `begin atomic … end`, in which semicolons do not end the statement; `case … end` nests inside it.
  private mutating func endWord() {
    guard !word.isEmpty else { return }
    let current = String(decoding: word, as: UTF8.self)
    word.removeAll(keepingCapacity: true)
    switch current {
    case "atomic" where previousWord == "begin": atomicDepth += 1
    case "case" where atomicDepth > 0: caseDepth += 1
    case "end" where atomicDepth > 0:
      if caseDepth > 0 { caseDepth -= 1 } else { atomicDepth -= 1 }
    default: break
    }
    previousWord = current
  }

  private mutating func copyQuoted(_ quote: UInt8, backslashEscapes: Bool) {
    copyByte()
    while index < bytes.count {
      let byte = bytes[index]
      if backslashEscapes, byte == UInt8(ascii: "\\"), peek(1) != nil {
        copyByte()
        copyByte()
      } else if byte == quote {
        copyByte()
        guard peek(0) == quote else { return }
        copyByte()
      } else {
        copyByte()
      }
    }
  }

  private func dollarTag() -> [UInt8]? {
    var end = index + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "$") {
      guard isWordByte(bytes[end]) else { return nil }
      end += 1
    }
    guard end < bytes.count, !(bytes[index + 1] >= 0x30 && bytes[index + 1] <= 0x39) else { return nil }
    return Array(bytes[index...end])
  }

  private mutating func copyDollarQuoted(_ tag: [UInt8]) {
    for _ in tag { copyByte() }
    while index < bytes.count {
      if bytes[index...].starts(with: tag) {
        for _ in tag { copyByte() }
        return
      }
      copyByte()
    }
  }

  private mutating func skipLineComment() {
    while index < bytes.count, bytes[index] != 0x0a { index += 1 }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if bytes[index] == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth += 1
        index += 2
      } else if bytes[index] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        index += 2
      } else {
        if bytes[index] == 0x0a { line += 1 }
        index += 1
      }
    } while depth > 0 && index < bytes.count
    if !statement.isEmpty { statement.append(0x20) }
  }

  private mutating func finish() {
    while let last = statement.last, last == 0x20 || last == 0x0a || last == 0x09 || last == 0x0d {
      statement.removeLast()
    }
    if !statement.isEmpty {
      statements.append(ScriptStatement(text: String(decoding: statement, as: UTF8.self), line: startLine))
    }
    statement.removeAll(keepingCapacity: true)
    previousWord = ""
    atomicDepth = 0
    caseDepth = 0
  }
}
