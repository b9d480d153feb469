internal import FoundationEssentials

/// Decides transitions from values alone: no clock, no database, no other state.
///
/// One order of checks serves the command, the list of what may be done now, and the dry run, so that they
/// cannot disagree: company active, record visible, permission, transition known (and not taken away by the
/// company's overlay), from-state, expected version, four eyes, required input, guards. Permission comes before
/// state, so that somebody without rights learns nothing about the record.
package enum Kernel {
  /// Decides whether a request is carried out, and says what to write if so.
  package static func apply(
    _ request: TransitionRequest,
    to record: RecordSnapshot,
    by rights: ActorRights,
    under definition: WorkflowDefinition,
    at now: Instant
  ) throws(DomainError) -> TransitionPlan {
    let transition = try check(
      request.transition,
      input: .given(request),
      on: record,
      by: rights,
      under: definition
    )
    return try plan(
      transition,
      request: request,
      record: record,
      rights: rights,
      definition: definition,
      now: now
    )
  }

  /// The transitions that would succeed now, given the input they require, in the order of the definition.
  package static func available(
    on record: RecordSnapshot,
    by rights: ActorRights,
    under definition: WorkflowDefinition
  ) -> [WorkflowTransition] {
    definition.transitions.filter { refusal(of: $0.name, on: record, by: rights, under: definition) == nil }
  }

  /// Refusal that a transition would meet now whatever its input; nil when it would succeed.
  package static func refusal(
    of transition: String,
    on record: RecordSnapshot,
    by rights: ActorRights,
    under definition: WorkflowDefinition
  ) -> DomainError? {
    do throws(DomainError) {
      _ = try check(transition, input: .satisfying, on: record, by: rights, under: definition)
      return nil
    } catch {
      return error
    }
  }

  /// Status, timers and columns that the workflow adds to a new record.
  package static func begin(
    under definition: WorkflowDefinition,
    at now: Instant
  ) throws(DomainError) -> InitialPlan {
    guard let state = definition.state(definition.initial) else {
      throw DomainError(.invalidWorkflow, "\(definition.name) begins in a state that it does not have")
    }
    return InitialPlan(
      status: state.name,
      category: state.category,
      timers: ArmedTimer.arming(state, at: now)
    )
  }

  /// The input of a check: a request's, or whatever it would take.
  private enum Input {
    case given(TransitionRequest)
    case satisfying
  }

  private static func check(
    _ name: String,
    input: Input,
    on record: RecordSnapshot,
    by rights: ActorRights,
    under definition: WorkflowDefinition
  ) throws(DomainError) -> WorkflowTransition {
    try rights.company.require(.write)
    guard record.isVisible else { throw DomainError(.notFound, "There is no such record") }
    let transition = try permitted(name, on: record, by: rights, under: definition)
    try requireState(for: transition, on: record, by: rights, under: definition)
    if case .given(let request) = input { try requireVersion(request, of: record) }
    try requireOtherEyes(for: transition, on: record, by: rights)
    if case .given(let request) = input { try RequirementCheck.require(transition, request, record) }
    try requireGuards(of: transition, on: record)
    return transition
  }

  /// Permission first, then existence: who may do nothing here is not told what there would be to do.
  private static func permitted(
    _ name: String,
    on record: RecordSnapshot,
    by rights: ActorRights,
    under definition: WorkflowDefinition
  ) throws(DomainError) -> WorkflowTransition {
    if let transition = definition.transition(name) {
      guard isPermitted(transition, on: record, by: rights) else {
        let missing = transition.permission?.name
        throw DomainError(
          .forbidden,
          transition.by == .system
            ? "Only the system fires \(name)" : "This takes \(missing ?? "a permission")",
          details: missing.map { ["permission": .string($0)] } ?? [:]
        )
      }
      guard !transition.isDisabled else {
        throw DomainError(.transitionDisabled, "\(transition.label) is disabled in this company")
      }
      return transition
    }
    let known = definition.transitions.filter { isPermitted($0, on: record, by: rights) && !$0.isDisabled }
      .map(\.name)
    guard !known.isEmpty else { throw DomainError(.forbidden) }
    let meant = Suggestion.closest(to: name, among: known)
    throw DomainError(
      .unknownTransition,
      "\(definition.name) has no transition \(Quoted(name))",
      hint: meant.map { "did you mean \($0)?" } ?? "There are \(known.joined(separator: ", ")).",
      details: ["known": .strings(known)]
    )
  }

  private static func isPermitted(
    _ transition: WorkflowTransition,
    on record: RecordSnapshot,
    by rights: ActorRights
  ) -> Bool {
    switch transition.by {
    case .system: rights.actor.kind == .system
    case .person: transition.permission.map { rights.may($0, ownedBy: record.owners) } ?? false
    }
  }

  private static func requireState(
    for transition: WorkflowTransition,
    on record: RecordSnapshot,
    by rights: ActorRights,
    under definition: WorkflowDefinition
  ) throws(DomainError) {
    if transition.from.contains(record.status) { return }
    let allowed = definition.transitions
      .filter { $0.from.contains(record.status) && !$0.isDisabled && isPermitted($0, on: record, by: rights) }
      .map(\.name)
    let label = definition.state(record.status)?.label ?? record.status
    throw DomainError(
      .wrongState,
      "\(transition.name) is not possible: the record is \(label)",
      hint: allowed.isEmpty
        ? "Nothing can be done to it in this status." : "Allowed now: \(allowed.joined(separator: ", ")).",
      details: ["status": .string(record.status), "allowed": .strings(allowed)]
    )
  }

  private static func requireVersion(
    _ request: TransitionRequest,
    of record: RecordSnapshot
  ) throws(DomainError) {
    guard let expected = request.expectedVersion, expected != record.version else { return }
    throw DomainError(
      .stale,
      "The record is at version \(record.version), not \(expected)",
      details: ["expected": .integer(expected), "version": .integer(record.version)]
    )
  }

  private static func requireOtherEyes(
    for transition: WorkflowTransition,
    on record: RecordSnapshot,
    by rights: ActorRights
  ) throws(DomainError) {
    for column in transition.distinctFrom {
      guard let other = record.fields[column]?.string else { continue }
      // Nobody in person cannot be shown to be somebody else.
      guard let person = rights.actor.person, UUID(uuidString: other).map({ $0 != person }) ?? false else {
        throw DomainError(
          .fourEyes,
          "Whoever stands in \(column) cannot \(transition.name)",
          details: ["column": .string(column)]
        )
      }
    }
  }

  private static func requireGuards(
    of transition: WorkflowTransition,
    on record: RecordSnapshot
  ) throws(DomainError) {
    let results = record.guards[transition.name] ?? []
    for (index, condition) in transition.guards.enumerated() {
      // An answer that is missing counts as null, and null refuses.
      if index < results.count, results[index] == true { continue }
      throw DomainError(
        .guardRefused,
        "\(transition.name) is refused: \(condition.message)",
        details: ["guard": .string(condition.message), "path": .string(condition.path)]
      )
    }
  }
}
