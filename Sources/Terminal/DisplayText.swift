/// Prepares text for a terminal: neutralises, measures, truncates and wraps it.
package enum DisplayText {
  /// Returns the text without characters that move the cursor, color the screen, reorder the line or are
  /// invisible.
  ///
  /// ASCII control characters become their pictures (␛, ␊); other control, bidi and invisible characters
  /// become their code, such as `\u{202E}`.
  package static func neutralized(_ text: String) -> String {
    // The usual case, printable ASCII, remains unchanged.
    guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return text }
    var safe = String.UnicodeScalarView()
    for character in text {
      // Tag characters are invisible except in the flags of England, Scotland and Wales.
      let isFlag = character.unicodeScalars.first?.value == 0x1F3F4
      for scalar in character.unicodeScalars {
        append(scalar, isFlag: isFlag, to: &safe)
      }
    }
    return String(safe)
  }

  private static func append(_ scalar: Unicode.Scalar, isFlag: Bool, to safe: inout String.UnicodeScalarView)
  {
    switch scalar.value {
    case 0x00...0x1F: safe.append(Unicode.Scalar(UInt16(0x2400 + scalar.value)) ?? "\u{FFFD}")
    case 0x7F: safe.append("\u{2421}")
    case 0xE0020...0xE007F where isFlag: safe.append(scalar)
    case _ where isHidden(scalar):
      safe.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
    default: safe.append(scalar)
    }
  }

  /// True if a scalar is invisible, controls the terminal or reorders other characters.
  static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    // Persian, Indic scripts and emoji require joiners.
    case 0x200C, 0x200D: false
    case 0x2028, 0x2029: true
    default: scalar.properties.generalCategory == .format
    }
  }

  /// Returns the number of terminal columns of neutralised text.
  package static func width(_ text: String) -> Int {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.utf8.count }
    return text.reduce(0) { $0 + width(of: $1) }
  }

  /// Returns the text truncated to a number of columns; truncated text ends with `…`.
  package static func truncated(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var kept = ""
    var used = 1
    for character in text {
      used += width(of: character)
      if used > columns { break }
      kept.append(character)
    }
    return kept + "…"
  }

  /// Returns a sentence cut to a number of columns after a whole word, so that no part of a number or code is shown.
  static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    let kept = text.prefix(truncated(text, to: columns).count - 1)
    guard text[kept.endIndex...].first != " ", let space = kept.lastIndex(of: " ") else { return kept + "…" }
    return kept[..<space] + "…"
  }

  /// Returns the text padded with spaces to a number of columns.
  static func padded(_ text: String, to columns: Int, _ alignment: Column.Alignment) -> String {
    let space = String(repeating: " ", count: max(0, columns - width(text)))
    return alignment == .left ? text + space : space + text
  }

  /// Returns the text with line breaks at spaces, so that no line is longer than a number of columns unless a word or a
  /// command between backticks is: these stay whole, so that they can be copied.
  ///
  /// - Parameters:
  ///   - columns: the columns of the screen.
  ///   - used: the columns of the first line that are used by something before it.
  package static func folded(_ text: String, to columns: Int, after used: Int = 0) -> String {
    guard used + width(text) > columns else { return text }
    var folded = ""
    var column = used
    var isCommand = false
    var words: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
      if isCommand, let last = words.popLast() { words.append("\(last) \(word)") } else { words.append(word) }
      if !word.count(where: { $0 == "`" }).isMultiple(of: 2) { isCommand.toggle() }
    }
    for word in words {
      let needed = width(word)
      if folded.isEmpty {
        folded = word
        column += needed
      } else if column + 1 + needed <= columns {
        folded += " \(word)"
        column += 1 + needed
      } else {
        folded += "\n  \(word)"
        column = 2 + needed
      }
    }
    return folded
  }

  /// Returns the text as lines of at most a number of columns, broken at spaces, and within longer words.
  package static func wrapped(_ text: String, to columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      var word = String(word)
      if !line.isEmpty, width(line) + 1 + width(word) <= columns {
        line += " " + word
        continue
      }
      if !line.isEmpty { lines.append(line) }
      while width(word) > columns {
        var head = ""
        while let next = word.first, head.isEmpty || width(head) + width(of: next) <= columns {
          head.append(word.removeFirst())
        }
        lines.append(head)
      }
      line = word
    }
    return lines + [line]
  }
}
