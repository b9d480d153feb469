internal import Domain
internal import Glibc

/// The properties of an output stream: terminal or not, width, color and clock.
package struct Screen: Sendable, Equatable {
  /// The choices of `--color`.
  package enum ColorChoice: String, Sendable, CaseIterable {
    case auto, always, never

    /// Returns the choice with a name.
    ///
    /// - Throws: `unknown_choice` with the closest name.
    package static func parse(_ text: String) throws(TerminalError) -> ColorChoice {
      try Choice.parse(text, option: "--color")
    }
  }

  /// True if the stream is a terminal.
  package var isTerminal: Bool
  /// The number of columns; nil in a pipe, where nothing is truncated or wrapped.
  package var width: Int?
  /// True if color may be used.
  package var usesColor: Bool
  /// The clock for displayed times; nil for UTC.
  package var clock: ZoneClock?

  /// Creates a screen; the width is ignored unless the stream is a terminal.
  package init(isTerminal: Bool, width: Int? = nil, usesColor: Bool = false, clock: ZoneClock? = nil) {
    self.clock = clock
    self.isTerminal = isTerminal
    self.width = isTerminal ? width : nil
    self.usesColor = usesColor
  }

  /// The screen of a pipe or a file: without width and color.
  package static let pipe = Screen(isTerminal: false)

  /// Returns the screen of a file descriptor, from the terminal and the variables `NO_COLOR`, `TERM` and
  /// `COLUMNS`.
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

  /// Creates the screen that `detect` returns.
  ///
  /// - Parameter measured: the width of the terminal; nil for `COLUMNS`, or 80 columns. The minimum is 20.
  init(isTerminal: Bool, measured: Int?, environment: [String: String], color: ColorChoice) {
    let width = measured ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
    // https://no-color.org: any value of NO_COLOR that is not empty disables color.
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

  /// Returns the text in a color and weight, or unchanged on a screen without color.
  package func styled(_ text: String, _ color: Color? = nil, isBold: Bool = false) -> String {
    guard usesColor, color != nil || isBold else { return text }
    let codes = [isBold ? 1 : nil, color?.code].compactMap { $0 }.map(String.init)
    return "\u{1B}[\(codes.joined(separator: ";"))m\(text)\u{1B}[0m"
  }
}

/// Parses option values from a fixed set of words.
enum Choice {
  static func parse<Value: RawRepresentable & CaseIterable>(
    _ text: String,
    option: String
  ) throws(TerminalError) -> Value where Value.RawValue == String {
    if let value = Value(rawValue: text) { return value }
    let words = Value.allCases.map(\.rawValue)
    let guess = Suggestion.closest(to: text, among: words).map { "did you mean \($0)? " } ?? ""
    throw TerminalError(
      .unknownChoice,
      "\(option) cannot be \"\(text)\"",
      hint: "\(guess)use one of: \(words.joined(separator: ", "))"
    )
  }
}
