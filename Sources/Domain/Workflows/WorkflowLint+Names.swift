extension WorkflowLint {
  /// Checks that the columns which transitions set and require, and which guards read, exist and may be used.
  static func columns(of definition: WorkflowDefinition, in context: WorkflowContext) -> [WorkflowDiagnostic]
  {
    let reserved = Set(RecordTypeDefinition.baseColumns + [definition.stateField, "status_category"])
    var found: [WorkflowDiagnostic] = []
    func look(up column: String, among known: Set<String>?, at path: String) {
      guard let known, !known.contains(column) else { return }
      let meant = Suggestion.closest(to: column, among: known.sorted())
      let hint = meant.map { "did you mean \($0)?" } ?? "name a column of the type"
      found.append(.init(.unknownField, path, "there is no column \(Quoted(column))", hint))
    }
    for transition in definition.transitions {
      let path = "transitions.\(transition.name)"
      for clause in transition.set {
        look(up: clause.column, among: context.tableColumns, at: "\(path).set.\(clause.column)")
      }
      for (index, column) in transition.require.fields.enumerated() {
        look(up: column, among: context.tableColumns, at: "\(path).require.fields[\(index)]")
      }
      for column in transition.set.map(\.column) + transition.require.fields where reserved.contains(column) {
        let message = "\(column) is written by the engine"
        found.append(.init(.reservedField, "\(path).set.\(column)", message, "leave it out"))
      }
      for column in transition.require.fields where transition.set.contains(where: { $0.column == column }) {
        let message = "\(column) is both required and set"
        found.append(.init(.reservedField, "\(path).set.\(column)", message, "remove one of the two"))
      }
      for (index, column) in transition.distinctFrom.enumerated() {
        look(up: column, among: context.viewColumns, at: "\(path).distinct_from[\(index)]")
      }
      for (index, condition) in transition.guards.enumerated() {
        let place = "\(path).guards[\(index)]"
        let predicate = GuardPath(condition.path)
        if let excess = predicate.excess {
          found.append(
            .init(.guardOverBudget, place, "the guard is not allowed: \(excess)", "move it to the view")
          )
        }
        for column in predicate.columns { look(up: column, among: context.viewColumns, at: place) }
        if let known = context.messages, !known.contains(condition.message) {
          let message = "there is no message \(Quoted(condition.message))"
          found.append(.init(.unknownMessage, place, message, "write it under messages"))
        }
      }
    }
    return found
  }

  /// Checks that the templates, jobs, types, roles and columns of effects exist.
  static func effects(of definition: WorkflowDefinition, in context: WorkflowContext) -> [WorkflowDiagnostic]
  {
    definition.transitions.flatMap { transition in
      transition.effects.enumerated().flatMap { index, effect in
        problems(with: effect, at: "transitions.\(transition.name).effects[\(index)]", in: context)
      }
    }
  }

  private static func problems(
    with effect: Effect,
    at path: String,
    in context: WorkflowContext
  ) -> [WorkflowDiagnostic] {
    func missing(_ name: String, from known: Set<String>?, _ code: WorkflowDiagnostic.Code, _ noun: String)
      -> [WorkflowDiagnostic]
    {
      guard let known, !known.contains(name) else { return [] }
      let meant = Suggestion.closest(to: name, among: known.sorted())
      let hint = meant.map { "did you mean \($0)?" } ?? "name a \(noun) that exists"
      return [.init(code, path, "there is no \(noun) \(Quoted(name))", hint)]
    }
    switch effect {
    case .notify(let recipient, let template):
      let found = missing(template, from: context.templates, .unknownTemplate, "template")
      switch recipient {
      case .creator: return found
      case .role(let role):
        return found + missing(role, from: context.roles.map { Set($0.keys) }, .unknownRole, "role")
      case .field(let column):
        return found + missing(column, from: context.viewColumns, .unknownField, "column")
      }
    case .job(let kind): return missing(kind, from: context.jobs, .unknownJob, "kind of job")
    case .create(let type, _): return missing(type, from: context.types, .unknownType, "record type")
    case .webhook: return []
    }
  }
}
