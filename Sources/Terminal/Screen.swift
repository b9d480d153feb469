internal import Glibc

/// What is known about one output stream: whether a person looks at it, how wide it is, whether it has color.
package struct Screen: Sendable, Equatable {
  /// What `--color` says.
  package enum ColorChoice: String, Sendable, CaseIterable {
    case auto, always, never

    /// The choice of that name; throws one with a suggestion.
    package static func parse(_ text: String) throws(TerminalError) -> ColorChoice {
      try Choice.parse(text, option: "--color")
    }
  }

  /// Whether a person looks at it.
  package var isTerminal: Bool
  /// Its columns; `nil` in a pipe, where nothing is ever cut or wrapped.
  package var width: Int?
  /// Whether words may be colored.
  package var usesColor: Bool
  /// The clock by which people read moments; nil: UTC.
  package var clock: ZoneClock?

  /// Describes a stream.
  package init(isTerminal: Bool, width: Int? = nil, usesColor: Bool = false, clock: ZoneClock? = nil) {
    self.clock = clock
    self.isTerminal = isTerminal
    self.width = isTerminal ? width : nil
    self.usesColor = usesColor
  }

  /// A pipe or a file.
  package static let pipe = Screen(isTerminal: false)

  /// Looks at a file descriptor and at `NO_COLOR`, `TERM` and `COLUMNS`.
  package static func detect(
    descriptor: Int32,
    environment: [String: String],
    color: ColorChoice = .auto
  ) -> Screen {
    let isTerminal = isatty(descriptor) == 1
    return Screen(
      isTerminal: isTerminal,
      measured: isTerminal ? measuredWidth(of: descriptor) : nil,
      environment: environment,
      color: color
    )
  }

  /// The rules of `detect`, given what was found.
  init(isTerminal: Bool, measured: Int?, environment: [String: String], color: ColorChoice) {
    let width = measured ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
    // https://no-color.org: present and not empty, whatever its value.
    let isWelcome = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    let usesColor =
      switch color {
      case .always: true
      case .never: false
      case .auto: isTerminal && isWelcome
      }
    self.init(isTerminal: isTerminal, width: max(20, width), usesColor: usesColor)
  }

  private static func measuredWidth(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The text in color and weight, or as it is where there is no color.
  package func styled(_ text: String, _ color: Color? = nil, isBold: Bool = false) -> String {
    guard usesColor, color != nil || isBold else { return text }
    let codes = [isBold ? 1 : nil, color?.code].compactMap { $0 }.map(String.init)
    return "\u{1B}[\(codes.joined(separator: ";"))m\(text)\u{1B}[0m"
  }
}

/// Options that take one of a few words.
enum Choice {
  static func parse<Value: RawRepresentable & CaseIterable>(
    _ text: String,
    option: String
  ) throws(TerminalError) -> Value where Value.RawValue == String {
    if let value = Value(rawValue: text) { return value }
    let words = Value.allCases.map(\.rawValue)
    let guess = Suggestion.closest(to: text, in: words).map { "did you mean \($0)? " } ?? ""
    throw TerminalError(
      .unknownChoice,
      "\(option) cannot be \"\(text)\"",
      hint: "\(guess)the choices are \(words.joined(separator: ", "))"
    )
  }
}
