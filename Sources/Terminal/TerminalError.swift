/// What a person asked of the command's surface that it cannot do.
package struct TerminalError: Error, Equatable, CustomStringConvertible {
  /// The failures of this module.
  package enum Kind: String, Sendable {
    /// `--columns`, `--sort` or `--where` names a column that is not there.
    case unknownColumn = "unknown_column"
    /// `--where` is not `column=value`.
    case malformedFilter = "malformed_filter"
    /// `--output` or `--color` names something else than the choices.
    case unknownChoice = "unknown_choice"
    /// A question has to be asked but nobody sits at a terminal.
    case noTerminal = "no_terminal"
    /// A secret was to be read but is missing, empty or unreadable.
    case unreadableSecret = "unreadable_secret"
    /// Ctrl-C at a prompt.
    case interrupted
    /// Whoever read our output has gone; a reason to end, not to complain.
    case outputClosed = "output_closed"
    /// The output could not be written, as on a full disk.
    case outputFailed = "output_failed"
  }

  /// Which failure it is.
  package var kind: Kind
  /// The failure in a sentence.
  package var message: String
  /// What to do about it.
  package var hint: String?

  /// Describes a failure.
  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  package var description: String { message }

  /// The code with which the process should end.
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
