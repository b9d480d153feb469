/// Finds names with a schema, such as `core.current_company`, in SQL text.
///
/// Skips `--` comments and quoted text, but searches the `$$` bodies of functions.
enum QualifiedNames {
  static func all(in text: String) -> Set<String> {
    var scanner = Scanner(bytes: Array(text.utf8))
    return scanner.run()
  }

  /// Returns the names in all statements of some files.
  static func all(in files: [Migration]) -> Set<String> {
    files.reduce(into: []) { names, file in
      for statement in StatementSplitter.split(file.text) { names.formUnion(all(in: statement.text)) }
    }
  }

  private struct Scanner {
    let bytes: [UInt8]
    var index = 0

    mutating func run() -> Set<String> {
      var names: Set<String> = []
      while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"):
          while index < bytes.count, bytes[index] != 0x0A { index += 1 }
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
          skipQuoted(bytes[index])
        case let byte where isWord(byte):
          let schema = word()
          guard peek(0) == UInt8(ascii: "."), let next = peek(1), isWord(next) else { continue }
          index += 1
          names.insert("\(schema).\(word())")
        default:
          index += 1
        }
      }
      return names
    }

    private func peek(_ offset: Int) -> UInt8? {
      index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private func isWord(_ byte: UInt8) -> Bool {
      byte == 0x5F || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    private mutating func word() -> String {
      let start = index
      while index < bytes.count, isWord(bytes[index]) { index += 1 }
      return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func skipQuoted(_ quote: UInt8) {
      index += 1
      while index < bytes.count, bytes[index] != quote { index += 1 }
      index += 1
    }
  }
}
