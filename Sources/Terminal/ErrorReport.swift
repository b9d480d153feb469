/// An error in the form that is printed on stderr.
package struct ErrorReport: Sendable, Equatable {
  /// The stable code, such as `wrong_state`.
  package var code: String
  /// The message: one sentence, lower case, without a full stop.
  package var message: String
  /// The hint, an imperative; nil if there is none.
  package var hint: String?
  /// Details for programs, such as the allowed transitions.
  package var details: [Cell.Field]

  /// Creates a report.
  package init(code: String, message: String, hint: String? = nil, details: [Cell.Field] = []) {
    self.code = code
    self.message = message
    self.hint = hint
    self.details = details
  }

  /// Creates a report from an error of this module.
  package init(_ error: TerminalError) {
    self.init(code: error.kind.rawValue, message: error.message, hint: error.hint)
  }

  /// Returns the text form, `error[code]: message` and `hint: …`, each on one line even if it quotes line
  /// breaks.
  ///
  /// On a terminal, the lines of a long text end between words, and never in a command to copy.
  package func text(on screen: Screen) -> String {
    let label = screen.styled("error[\(code)]", .red, isBold: true)
    var text =
      "\(label): \(Self.lines(Self.local(message, screen.clock), after: "error[\(code)]: ".count, on: screen))\n"
    if let hint {
      text += "\(screen.styled("hint", .cyan)): \(Self.lines(hint, after: "hint: ".count, on: screen))\n"
    }
    return text
  }

  /// Returns a message with its times as tables show them. What is quoted stays as it was written.
  private static func local(_ message: String, _ clock: ZoneClock?) -> String {
    message.replacing(#/(?<quote>"?)(?<moment>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))/#)
    { match in
      match.output.quote.isEmpty
        ? MomentText.text(String(match.output.moment), by: clock) : String(match.output.0)
    }
  }

  private static func lines(_ text: String, after label: Int, on screen: Screen) -> String {
    let text = DisplayText.neutralized(text)
    return screen.width.map { DisplayText.folded(text, to: $0, after: label) } ?? text
  }

  /// The JSON form, on one line: `{"error":{"code":…,"message":…,"hint":…,"details":{…}}}`.
  package var json: String {
    let fields: [Cell.Field] = [
      .init("code", .string(code)), .init("message", .string(message)), .init("hint", .optional(hint)),
      .init("details", .nested(details)),
    ]
    return JSONText.encode(.nested([.init("error", .nested(fields))])) + "\n"
  }

  /// Returns the report for an output format: JSON for `json` and `jsonl`, text for all others.
  package func rendered(for format: OutputFormat, on screen: Screen) -> String {
    format == .json || format == .jsonl ? json : text(on: screen)
  }
}
