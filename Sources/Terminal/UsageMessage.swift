/// An error of the argument parser in the style of the other errors of `fettle`.
package struct UsageMessage: Sendable, Equatable {
  /// The message, lower case and without a full stop.
  package let message: String
  /// The command that prints help; nil if the parser does not name it.
  private let helpCommand: String?
  private let suggestion: String?
  private let choices: [String]

  /// - Parameters:
  ///   - message: the message of the parser, such as `Missing expected argument '<machine>'`.
  ///   - full: the full message, with usage and the command that prints help.
  package init(_ message: String, full: String) {
    var text = message
    var suggestion: String?
    if let offer = Self.range(of: " Please provide one of", in: text) {
      choices = Self.choices(text[offer.upperBound...])
      text = String(text[..<offer.lowerBound])
    } else {
      choices = []
    }
    text = text.split(separator: "\n").first.map(String.init) ?? text
    if let question = Self.range(of: " Did you mean ", in: text) {
      let meant = text[question.upperBound...].prefix { $0 != "?" }
      suggestion = Self.quoting(String(meant))
      text = String(text[..<question.lowerBound])
    }
    while let last = text.last, ".!: ".contains(last) { text.removeLast() }
    if let first = text.first, first.isUppercase, text.dropFirst().first?.isUppercase != true {
      text = first.lowercased() + text.dropFirst()
    }
    self.message = Self.quoting(text)
    self.suggestion = suggestion
    // "  See 'fettle entry add --help' for more information."
    helpCommand =
      full.split(separator: "\n").compactMap { line -> String? in
        guard let start = Self.range(of: "See '", in: String(line)) else { return nil }
        return String(String(line)[start.upperBound...].prefix { $0 != "'" })
      }.last
  }

  /// The hint: the closest word or the choices, and the command that prints help; nil if the parser names
  /// none.
  package var hint: String? {
    let help = helpCommand.map { "run `\($0)` for usage" }
    if let suggestion { return "did you mean \(suggestion)?" + (help.map { " \($0)" } ?? "") }
    guard !choices.isEmpty else { return help }
    return "use one of: \(choices.joined(separator: ", "))" + (help.map { "; \($0)" } ?? "")
  }

  /// Returns the choices in the parser's text: `'table', 'json' and 'csv'`, or one choice per line.
  private static func choices(_ text: Substring) -> [String] {
    let quoted = text.split(separator: "'", omittingEmptySubsequences: false)
    if quoted.count > 2 {
      return quoted.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
    return text.split(separator: "\n").compactMap { line in
      let item = line.drop { $0 == " " || $0 == "-" }
      return item.isEmpty || item.hasSuffix(":") ? nil : String(item)
    }
  }

  /// Returns the text with backticks around things to type and double quotes around values, for single
  /// quotes.
  private static func quoting(_ text: String) -> String {
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    // With an odd number of quotes, one is an apostrophe, so none is converted.
    guard parts.count % 2 == 1 else { return text }
    var quoted = ""
    for (index, part) in parts.enumerated() {
      guard index % 2 == 1 else {
        quoted += part
        continue
      }
      let isTyped = part.hasPrefix("-") || part.hasPrefix("<") || part.hasPrefix("fettle ")
      quoted += isTyped ? "`\(part)`" : "\"\(part)\""
    }
    return quoted
  }

  private static func range(of text: String, in whole: String) -> Range<String.Index>? {
    whole.firstRange(of: text)
  }
}
