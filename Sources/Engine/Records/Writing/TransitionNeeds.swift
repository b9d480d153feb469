internal import Domain
internal import Store

/// The data required to decide a transition of a record.
struct TransitionNeeds {
  /// The columns that may hold a record's display name, in order of preference.
  let titles: [String]
  let columns: [String]
  /// The JSON paths of the transition's guards.
  let guards: [String]
  /// True if each record is transitioned alone, because its follow-ups differ from record to record.
  let isSingular: Bool
  /// True if the locked rows contain all required data, so that no concurrent write can change the decision.
  let isInRow: Bool

  /// - Parameter hasRule: true if the type has a rule that may concern the fields of the request.
  init(of request: TransitionRequest, type: RecordType, hasRule: Bool) {
    let transition = type.workflow?.transition(request.transition)
    titles = type.definition.nameColumns + [type.definition.titleField]
    var columns: Set<String> = ["created_by", "number"]
    columns.formUnion(titles)
    columns.formUnion(type.definition.ownerFields)
    if let transition, let workflow = type.workflow {
      columns.formUnion(transition.timesBefore(request, under: workflow))
      columns.formUnion(transition.distinctFrom + transition.require.fields + transition.set.map(\.column))
    }
    self.columns = columns.intersection(type.names).sorted()
    guards = transition?.guards.map(\.path) ?? []
    isSingular = transition.map { Self.isSingular($0, type, hasRule: hasRule) } ?? false
    isInRow = guards.isEmpty && !isSingular && type.holds(self.columns)
  }

  private static func isSingular(_ transition: WorkflowTransition, _ type: RecordType, hasRule: Bool) -> Bool
  {
    let written = transition.set.map(\.column) + transition.require.fields
    let creates = transition.effects.contains { if case .create = $0 { true } else { false } }
    let reminds = transition.from.contains { transition.isReminder(from: $0) }
    // Given fields are checked like those of an edit: by the type's rule and, for a reference, with its parent.
    let isChecked = transition.require.fields.contains { field in
      hasRule || type.definition.references.contains { $0.column == field }
    }
    return creates || reminds || isChecked
      || !Hooks(.change, of: type).namingColumns.following(written).isEmpty
  }
}
