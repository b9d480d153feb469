internal import Domain

extension WorkflowDefinition {
  /// Returns the state that a file names: by its name or label, in any case, with blanks, `-` or `_`.
  ///
  /// - Parameter type: the record type, for the message.
  /// - Throws: `invalid_input` naming the known states.
  func state(written text: String, of type: String) throws(DomainError) -> WorkflowState {
    if let exact = state(text) { return exact }
    let name = Self.folded(text)
    if let found = states.first(where: { Self.folded($0.name) == name || Self.folded($0.label) == name }) {
      return found
    }
    let names = states.map(\.name)
    let closest = Suggestion.closest(to: text, among: names).map { "did you mean \($0)? " } ?? ""
    throw DomainError(
      .invalidInput,
      "\(type) has no status \(Quoted(text)), only \(names.joined(separator: ", "))",
      hint: "\(closest)use one of: \(names.joined(separator: ", "))"
    )
  }

  private static func folded(_ text: String) -> String {
    String(text.lowercased().filter { !" -_\u{A0}".contains($0) })
  }
}
