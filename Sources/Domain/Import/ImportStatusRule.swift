/// Decides which statuses an import may give to new records.
///
/// A status other than the initial one stands for transitions that the import skips. The importer must be
/// able to take all of them alone: the importer holds the permissions, the record satisfies the guards, and
/// no transition requires another person. The file's own columns prove nothing about other persons. An
/// operator in their own name and the engine may import every status; this is audited.
package struct ImportStatusRule: Sendable {
  private let workflow: WorkflowDefinition
  private let rights: ActorRights

  /// Creates the rule for an actor and the workflow version that the company follows.
  package init(workflow: WorkflowDefinition, rights: ActorRights) {
    self.workflow = workflow
    self.rights = rights
  }

  /// True if the actor may import every status.
  package var isUnrestricted: Bool {
    rights.actor.person == nil && [.operator, .system].contains(rights.actor.kind)
  }

  /// Returns the guards that each imported record of a status must satisfy.
  ///
  /// They are the guards of the transitions from the initial status to this one, on the way with the fewest
  /// guards that the actor may take.
  ///
  /// - Throws: `forbidden`, `four_eyes` or `transition_disabled`, naming the transition that the actor cannot
  ///   take.
  package func guards(for status: String) throws(DomainError) -> [TransitionGuard] {
    try way(to: status).flatMap(\.guards)
  }

  /// Returns the transitions that lead from the initial status to another, as ``guards(for:)`` chooses them; empty for
  /// an actor who may import every status.
  ///
  /// - Throws: the errors of ``guards(for:)``.
  package func way(to status: String) throws(DomainError) -> [WorkflowTransition] {
    if status == workflow.initial || isUnrestricted { return [] }
    if let way = workflow.ways({ refusal(of: $0) == nil })[status] { return way }
    let way = workflow.ways()[status] ?? []
    for transition in way {
      guard let refusal = refusal(of: transition) else { continue }
      throw DomainError(
        refusal.code,
        "the status \(status) requires the transition \(transition.name): \(refusal.message)",
        hint: "import as \(workflow.initial) and apply the transitions, or ask an operator to import",
        details: ["status": .string(status), "transition": .string(transition.name)]
      )
    }
    throw DomainError(
      .forbidden,
      "no transition leads to the status \(status)",
      hint: "ask an operator to import",
      details: ["status": .string(status)]
    )
  }

  /// Returns the reason why the actor cannot take a transition of a record that they import; nil if they can.
  private func refusal(of transition: WorkflowTransition) -> DomainError? {
    guard transition.by == .person, let permission = transition.permission else {
      return DomainError(.forbidden, "only the system fires \(transition.name)")
    }
    // The importer is the creator of the record, and so its owner.
    guard rights.may(permission, ownedBy: rights.actor.person.map { [$0] } ?? []) else {
      return rights.lack(of: permission)
    }
    if transition.isDisabled {
      return DomainError(.transitionDisabled, "\(transition.label) is disabled in this company")
    }
    if !transition.distinctFrom.isEmpty {
      return DomainError(.fourEyes, "\(transition.name) requires two persons, and one imports")
    }
    return nil
  }
}

extension WorkflowDefinition {
  /// Returns the ways from the initial status over usable transitions, by their last status: those with the fewest
  /// guards, and among these the shortest.
  package func ways(_ isUsable: (WorkflowTransition) -> Bool = { _ in true })
    -> [String: [WorkflowTransition]]
  {
    let usable = transitions.filter(isUsable)
    var found: [String: [WorkflowTransition]] = [initial: []]
    var waiting = [initial]
    while let state = waiting.popLast() {
      for transition in usable where transition.from.contains(state) {
        let way = (found[state] ?? []) + [transition]
        if let known = found[transition.to], Self.cost(known) <= Self.cost(way) { continue }
        found[transition.to] = way
        waiting.append(transition.to)
      }
    }
    return found
  }

  private static func cost(_ way: [WorkflowTransition]) -> (guards: Int, transitions: Int) {
    (way.reduce(0) { $0 + $1.guards.count }, way.count)
  }
}
