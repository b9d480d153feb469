internal import Domain

extension WorkflowDefinition {
  /// Returns the state that a file names: by its name or label, in any case, with blanks, `-` or `_`.
  ///
  /// - Parameter type: the record type, for the message.
  /// - Throws: `invalid_input` naming the known states.
  func state(written text: String, of type: String) throws(DomainError) -> WorkflowState {
    if let exact = state(text) { return exact }
    let name = text.foldedName
    if let found = states.first(where: { $0.name.foldedName == name || $0.label.foldedName == name }) {
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
}

extension String {
  /// The text in lower case without blanks, `-` and `_`, by which names of states and choices are compared.
  var foldedName: String { String(lowercased().filter { !" -_\u{A0}".contains($0) }) }
}
