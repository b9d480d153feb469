extension ManifestLint {
  /// Checks that the columns in the notice templates exist in the views that they are used with.
  ///
  /// If effects send the notice, the columns must exist in the view of each type that does. Otherwise a job
  /// of the app sends it, and one of the app's types must have all the columns.
  mutating func checkTemplates() {
    guard let relations = context.relations else { return }
    for template in manifest.templates where !template.columns.isEmpty {
      let senders = manifest.types.filter { type in
        type.workflow.flatMap(manifest.workflow)?.sends(template.name) == true
      }
      let path = "templates.\(template.name)"
      guard senders.isEmpty else {
        for type in senders {
          for column in template.columns { look(up: column, in: type.view, at: path) }
        }
        continue
      }
      let lacking = manifest.types.map { type in
        (type: type, columns: template.columns.filter { relations[type.view]?.contains($0) != true })
      }
      // Reports the missing columns of the type that lacks the fewest.
      guard let best = lacking.min(by: { $0.columns.count < $1.columns.count }) else { continue }
      for column in best.columns { look(up: column, in: best.type.view, at: path) }
    }
  }
}

extension WorkflowDefinition {
  /// True if a transition sends notices from a template.
  fileprivate func sends(_ template: String) -> Bool {
    transitions.contains { transition in
      transition.effects.contains { effect in
        if case .notify(_, template) = effect { true } else { false }
      }
    }
  }
}
