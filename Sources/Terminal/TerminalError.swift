/// An error in the use of output options, prompts or streams.
package struct TerminalError: Error, Equatable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Kind: String, Sendable {
    /// `--columns`, `--sort` or `--where` names an unknown column.
    case unknownColumn = "unknown_column"
    /// `--where` is neither `column=value` nor `column!=value`.
    case malformedFilter = "malformed_filter"
    /// An option value or a command is unknown.
    case unknownChoice = "unknown_choice"
    /// A question is necessary, but there is no usable terminal.
    case noTerminal = "no_terminal"
    /// A secret is empty, too long, not UTF-8 or unreadable, or was entered differently three times.
    case unreadableSecret = "unreadable_secret"
    /// Ctrl-C or the end of the input at a prompt.
    case interrupted
    /// The reader has closed the output; the command ends without an error message.
    case outputClosed = "output_closed"
    /// The output could not be written, for example on a full disk.
    case outputFailed = "output_failed"
  }

  /// The kind of failure.
  package var kind: Kind
  /// The message: one sentence, lower case, without a full stop.
  package var message: String
  /// The hint, an imperative; nil if there is none.
  package var hint: String?

  /// Creates an error.
  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  package var description: String { message }

  /// The exit code of the process.
  package var exitCode: ExitCode {
    switch kind {
    case .unknownColumn, .malformedFilter, .unknownChoice, .noTerminal: .usage
    case .unreadableSecret: .invalidInput
    case .interrupted: .interrupted
    case .outputClosed: .done
    case .outputFailed: .internalFailure
    }
  }
}
