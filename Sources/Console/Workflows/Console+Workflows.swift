internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The workflow of a record type as the company follows it: states, and how work moves between them.
extension Console {
  var workflowRoutes: [Route] { [inside(.get, "/workflows/{app}/{type}", workflow(_:))] }

  private func workflow(_ visit: Visit) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let type = try frame.type(try visit.typeName())
    guard let workflow = type.workflow else { throw DomainError(.notFound) }
    let words = Words.of(frame.language)
    let terms = TypeWords(type, words)
    let value = ValueText(visit, frame, type, .none)
    let states = workflow.states.map { state -> HTML in
      let leaving = workflow.transitions.filter {
        $0.from.contains(state.name) && !$0.isReminder(from: state.name)
      }
      let moves = leaving.map { transition -> HTML in
        let system: HTML =
          transition.by == .system ? " <span class=\"quiet\">\(words("workflow.system"))</span>" : .none
        let off: HTML =
          transition.isDisabled ? " <span class=\"quiet\">\(words("workflow.off"))</span>" : .none
        return """
          <li><strong>\(terms.transition(transition.name))</strong> → \(value.pill(transition.to))\(system)\(off)\(Self.needs(transition, terms))</li>
          """
      }
      let first: HTML =
        state.name == workflow.initial ? " <span class=\"quiet\">\(words("workflow.first"))</span>" : .none
      let end: HTML =
        moves.isEmpty ? "<p class=\"quiet\">\(words("workflow.end"))</p>" : "<ul class=\"rows\">\(moves)</ul>"
      return "<section class=\"card\"><h2>\(value.pill(state.name))\(first)</h2>\(end)</section>"
    }
    let html = Layout.page(
      visit,
      frame,
      title: words("workflow.title", terms.label),
      at: type.name,
      """
      <p class="crumb"><a href="\(link: visit.place(of: type))">\(terms.plural)</a></p>
      <h1>\(words("workflow.title", terms.label))</h1>
      <p class="quiet">\(words("workflow.version", "\(workflow.version)"))</p>
      <div class="today">\(states)</div>
      """
    )
    return .page(html, for: visit.request)
  }

  /// What a transition asks for.
  private static func needs(_ transition: WorkflowTransition, _ terms: TypeWords) -> HTML {
    var needs = transition.require.fields.map { terms.column($0) }
    if transition.require.commentMinimum != nil { needs.append(terms.words("transition.comment")) }
    guard !needs.isEmpty else { return .none }
    return
      "<p class=\"facts\"><span>\(terms.words("workflow.needs", needs.joined(separator: ", ")))</span></p>"
  }
}
