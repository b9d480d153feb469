internal import FoundationEssentials

/// The checks of a transition, in the order in which they run.
///
/// Permission is checked before the state, so that an actor without rights learns nothing about the record.
package enum KernelCheck: String, Sendable, CaseIterable {
  /// The status of the company permits writes.
  case company
  /// The actor can see the record.
  case visible
  /// The actor may take the transition, and it exists and is not disabled.
  case permission
  /// The transition starts from the record's state.
  case status
  /// The record still has the version that the actor has read.
  case version
  /// The actor is not a member whom a column in `distinct_from` names.
  case fourEyes = "four_eyes"
  /// The request has the required fields and comment, and no other fields.
  case input
  /// Every guard holds.
  case guards

  /// The input: that of a request, or assumed input that is valid.
  enum Input {
    case given(TransitionRequest)
    case satisfying
  }

  /// The data that the checks read.
  struct Subject {
    let name: String
    let input: Input
    let record: RecordSnapshot
    let rights: ActorRights
    /// Nil for a record without a workflow, to which only ``company`` and ``visible`` apply.
    let definition: WorkflowDefinition?
    /// Nil if the definition has no transition of this name.
    let transition: WorkflowTransition?

    init(
      _ name: String,
      input: Input,
      record: RecordSnapshot,
      rights: ActorRights,
      definition: WorkflowDefinition?
    ) {
      self.name = name
      self.input = input
      self.record = record
      self.rights = rights
      self.definition = definition
      transition = definition?.transition(name)
    }
  }

  /// Runs one check.
  ///
  /// - Throws: the error of the check. For an unknown transition, ``permission`` throws, and the later checks
  ///   do nothing.
  func require(_ subject: Subject) throws(DomainError) {
    switch self {
    case .company: try subject.rights.company.require(.write)
    case .visible:
      guard subject.record.isVisible else { throw DomainError(.notFound, "there is no such record") }
    case .permission: try Self.requirePermission(subject)
    case .status: try Self.requireState(subject)
    case .version: try Self.requireVersion(subject)
    case .fourEyes: try Self.requireAnotherPerson(subject)
    case .input:
      guard let transition = subject.transition, case .given(let request) = subject.input else { return }
      try RequirementCheck.require(transition, request, subject.record)
    case .guards: try Self.requireGuards(subject)
    }
  }

  /// Checks the permission before the existence, so that an actor without any right learns no transition's
  /// name.
  private static func requirePermission(_ subject: Subject) throws(DomainError) {
    let (record, rights) = (subject.record, subject.rights)
    if let transition = subject.transition {
      guard isPermitted(transition, on: record, by: rights) else {
        guard transition.by != .system, let missing = transition.permission else {
          let details: JSONObject = transition.permission.map { ["permission": .string($0.name)] } ?? [:]
          throw DomainError(.forbidden, "only the system fires \(transition.name)", details: details)
        }
        throw rights.lack(of: missing)
      }
      guard !transition.isDisabled else {
        let name = subject.definition?.name ?? "TYPE"
        throw DomainError(
          .transitionDisabled,
          "\(transition.label) is disabled in this company",
          hint: "show the overlay with `fettle workflow overlay show \(name)`"
        )
      }
      return
    }
    let known = (subject.definition?.transitions ?? [])
      .filter { isPermitted($0, on: record, by: rights) && !$0.isDisabled }
      .map(\.name)
    guard !known.isEmpty else { throw DomainError(.forbidden) }
    let closest = Suggestion.closest(to: subject.name, among: known)
    throw DomainError(
      .unknownTransition,
      "\(subject.definition?.name ?? "the type") has no transition \(Quoted(subject.name))",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(known.joined(separator: ", "))",
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

  private static func requireState(_ subject: Subject) throws(DomainError) {
    let record = subject.record
    guard let definition = subject.definition, let transition = subject.transition,
      !transition.from.contains(record.status)
    else { return }
    let open = definition.transitions.filter { $0.from.contains(record.status) && !$0.isDisabled }
    let allowed = open.filter { isPermitted($0, on: record, by: subject.rights) }.map(\.name)
    let others = open.filter { $0.by == .person }.map(\.name).joined(separator: ", ")
    let label = definition.state(record.status)?.label ?? record.status
    throw DomainError(
      .wrongState,
      "\(transition.name) is not possible: the record is \(label)",
      hint: !allowed.isEmpty
        ? "allowed now: \(allowed.joined(separator: ", "))"
        : others.isEmpty
          ? "no transition is possible from this status" : "allowed to other members: \(others)",
      details: ["status": .string(record.status), "allowed": .strings(allowed)]
    )
  }

  private static func requireVersion(_ subject: Subject) throws(DomainError) {
    guard case .given(let request) = subject.input, let expected = request.expectedVersion,
      expected != subject.record.version
    else { return }
    throw DomainError(
      .stale,
      "the record is at version \(subject.record.version), not \(expected)",
      details: ["expected": .integer(expected), "version": .integer(subject.record.version)]
    )
  }

  private static func requireAnotherPerson(_ subject: Subject) throws(DomainError) {
    guard let transition = subject.transition else { return }
    for column in transition.distinctFrom {
      guard let other = subject.record.fields[column]?.string else { continue }
      // If the actor stands for no member, nobody can know that it is another person.
      guard let person = subject.rights.actor.person, UUID(text: other).map({ $0 != person }) ?? false
      else {
        throw DomainError(
          .fourEyes,
          "\(transition.name) requires another member than the one in \(column)",
          details: ["column": .string(column)]
        )
      }
    }
  }

  private static func requireGuards(_ subject: Subject) throws(DomainError) {
    guard let transition = subject.transition else { return }
    let results = subject.record.guards[transition.name] ?? []
    for (index, condition) in transition.guards.enumerated() {
      // A missing result counts as null, which refuses.
      if index < results.count, results[index] == true { continue }
      throw DomainError(
        .guardRefused,
        "\(transition.name) is refused: \(condition.message)",
        details: ["guard": .string(condition.message), "path": .string(condition.path)]
      )
    }
  }
}
