internal import Glibc

/// Asks questions at the terminal.
package struct Prompt: Sendable {
  private let input: Int32
  private let output: Int32

  /// Creates a prompt that reads from stdin and writes to stderr, since stdout contains results only.
  package init(input: Int32 = 0, output: Int32 = 2) {
    self.input = input
    self.output = output
  }

  /// Asks a yes-or-no question. Returns true for `y` or `yes` in any case.
  ///
  /// - Parameter assumeYes: true to return true without asking (`--yes`).
  /// - Throws: `no_terminal` if the input is not a terminal.
  package func confirm(_ question: String, assumeYes: Bool = false) throws(TerminalError) -> Bool {
    if assumeYes { return true }
    guard isatty(input) == 1 else {
      throw TerminalError(
        .noTerminal,
        "confirmation required, but there is no terminal",
        hint: "add --yes to confirm"
      )
    }
    try write("\(DisplayText.neutralized(question)) [y/N] ")
    var answer: [UInt8] = []
    while let byte = readByte(), byte != 0x0A {
      answer.append(byte)
    }
    return ["y", "yes"].contains(String(decoding: answer, as: UTF8.self).lowercased())
  }

  /// Asks for a secret and returns it. The typed characters are not shown.
  ///
  /// - Throws: `no_terminal` if the input is not a usable terminal, `interrupted` on Ctrl-C or at the end of
  ///   the input.
  package func secret(_ question: String) throws(TerminalError) -> String {
    guard isatty(input) == 1 else {
      throw TerminalError(
        .noTerminal,
        "there is no terminal to ask for a secret",
        hint: "name a file with the option that `--help` shows, or pipe the secret to standard input"
      )
    }
    var original = termios()
    guard tcgetattr(input, &original) == 0 else {
      throw TerminalError(.noTerminal, "cannot read the settings of the terminal")
    }
    // Signals are disabled too, because Ctrl-C would leave the shell without echo.
    var silent = original
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard tcsetattr(input, TCSAFLUSH, &silent) == 0 else {
      throw TerminalError(.noTerminal, "cannot disable the echo of the terminal")
    }
    defer { tcsetattr(input, TCSAFLUSH, &original) }
    try write("\(DisplayText.neutralized(question)): ")
    var line = SecretLine()
    while true {
      let outcome = readByte().map { line.press($0) } ?? .interrupted
      if outcome == .typing { continue }
      try write("\n")
      guard outcome == .finished else { throw TerminalError(.interrupted, "interrupted") }
      return line.text
    }
  }

  /// Asks for a new secret twice, up to three times until both entries are equal, and returns it.
  ///
  /// - Throws: `unreadable_secret` after three attempts; the errors of ``secret(_:)``.
  package func newSecret(_ question: String) throws(TerminalError) -> String {
    for _ in 0..<3 {
      let first = try secret(question)
      if try secret("\(question), once more") == first { return first }
      try write("the entries differ; try again\n")
    }
    throw TerminalError(.unreadableSecret, "the two entries differed three times")
  }

  private func write(_ text: String) throws(TerminalError) {
    try BufferedOutput.writeAll(Array(text.utf8), to: output)
  }

  /// Reads the next byte; nil at the end of the input or on an error.
  private func readByte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = read(input, &byte, 1)
      if count == 1 { return byte }
      guard count < 0, errno == EINTR else { return nil }
    }
  }
}
