internal import Secrets

/// The text of header fields: ASCII, folded, other letters as encoded words (RFC 2047).
enum HeaderText {
  /// The maximum length of a line, without its end.
  private static let width = 76
  /// The bytes of UTF-8 in one encoded word: with Base64 and its frame, 64 characters. Its line has room for the name
  /// of the field.
  private static let bytesOfWord = 39

  /// Refuses control characters: a line end in a value would begin another field.
  ///
  /// - Throws: ``MailError``.
  static func check(_ value: String) throws(MailError) {
    let isSafe = value.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar.value != 0x2028
        && scalar.value != 0x2029
    }
    guard isSafe else { throw MailError("a header has a line end or another control character") }
  }

  /// Returns a field with its name, folded, with its line end.
  ///
  /// - Throws: ``MailError`` for a control character.
  static func field(_ name: String, _ value: String) throws(MailError) -> String {
    try check(value)
    return fold("\(name): \(unstructured(value, after: name.utf8.count + 2))")
  }

  /// Returns a field whose value is ASCII and has its final form.
  ///
  /// - Throws: ``MailError`` for a control character or a letter outside ASCII.
  static func plainField(_ name: String, _ value: String) throws(MailError) -> String {
    try check(value)
    guard value.utf8.allSatisfy({ $0 < 0x80 }) else { throw MailError("a header has a letter outside ASCII") }
    return fold("\(name): \(value)")
  }

  /// Returns a display name: as it is, quoted, or as encoded words.
  static func phrase(_ name: String) -> String {
    let bytes = Array(name.utf8)
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }), !name.contains("=?"), bytes.count <= 60 else {
      return encodedWords(name)
    }
    let isAtoms = bytes.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "!#$%&'*+-/=?^_`{|}~ ".utf8.contains(byte)
    }
    if isAtoms { return name }
    let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped)\""
  }

  /// Returns text as it is if it is ASCII and its words fit into lines, otherwise as encoded words.
  private static func unstructured(_ text: String, after used: Int) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
    let longest = text.split(separator: " ").map(\.utf8.count).max() ?? 0
    // Several spaces at a fold, or at an end, would be lost.
    let isSafeToFold = !text.contains("  ") && !text.hasPrefix(" ") && !text.hasSuffix(" ")
    return isPlain && isSafeToFold && longest <= width - used - 2 ? text : encodedWords(text)
  }

  /// Returns encoded words in Base64, separated by spaces. A character is never split.
  static func encodedWords(_ text: String) -> String {
    var words: [[UInt8]] = [[]]
    for scalar in text.unicodeScalars {
      let bytes = Array(String(Character(scalar)).utf8)
      if words[words.count - 1].count + bytes.count > bytesOfWord { words.append([]) }
      words[words.count - 1] += bytes
    }
    return words.map { "=?UTF-8?B?\(Base64.encode($0))?=" }.joined(separator: " ")
  }

  /// Breaks a field at spaces, so that its lines have at most 76 characters where the words allow it.
  private static func fold(_ text: String) -> String {
    var lines: [String] = []
    var line = ""
    for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      // The name of the field and its first word stay together: a line of white space is not allowed.
      if index > 1, line.utf8.count + 1 + word.utf8.count > width {
        lines.append(line)
        line = " \(word)"
      } else {
        line += index == 0 ? "\(word)" : " \(word)"
      }
    }
    return (lines + [line]).joined(separator: "\r\n") + "\r\n"
  }
}
