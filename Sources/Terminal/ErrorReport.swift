/// A failure as the command tells it on stderr.
package struct ErrorReport: Sendable, Equatable {
  /// The stable code of the catalogue, such as `transition_not_allowed`.
  package var code: String
  /// What went wrong, in a sentence.
  package var message: String
  /// What to do about it.
  package var hint: String?
  /// Facts for programs, such as the allowed transitions.
  package var details: [Cell.Field]

  /// Describes a failure.
  package init(code: String, message: String, hint: String? = nil, details: [Cell.Field] = []) {
    self.code = code
    self.message = message
    self.hint = hint
    self.details = details
  }

  /// The report of a failure of this module.
  package init(_ error: TerminalError) {
    self.init(code: error.kind.rawValue, message: error.message, hint: error.hint)
  }

  /// The report for people, `error[code]: what` and `hint: …`; each stays on its line whatever it quotes.
  package func text(on screen: Screen) -> String {
    let label = screen.styled("error[\(code)]", .red, isBold: true)
    var text = "\(label): \(DisplayText.neutralized(message))\n"
    if let hint {
      text += "\(screen.styled("hint", .cyan)): \(DisplayText.neutralized(hint))\n"
    }
    return text
  }

  /// The report for programs, on one line: `{"error":{"code":…,"message":…,"hint":…,"details":{…}}}`.
  package var json: String {
    let fields: [Cell.Field] = [
      .init("code", .string(code)), .init("message", .string(message)), .init("hint", .optional(hint)),
      .init("details", .nested(details)),
    ]
    return JSONText.encode(.nested([.init("error", .nested(fields))])) + "\n"
  }

  /// The report as the chosen output format wants it: JSON beside JSON, text beside everything else.
  package func rendered(for format: OutputFormat, on screen: Screen) -> String {
    format == .json || format == .jsonl ? json : text(on: screen)
  }
}
