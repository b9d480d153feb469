/// Decides transitions from values alone: no clock, no database, no other state.
///
/// The checks and their order are the cases of ``KernelCheck``. Commands, bulk commands, the list of available
/// transitions, the dry run and `fettle access explain` all run these checks, so they cannot disagree.
package enum Kernel {
  /// Decides a request and returns the writes.
  ///
  /// - Throws: the refusal of the first check that fails.
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

  /// Returns the transitions that succeed now if given their required input, in the order of the definition.
  package static func available(
    on record: RecordSnapshot,
    by rights: ActorRights,
    under definition: WorkflowDefinition
  ) -> [WorkflowTransition] {
    definition.transitions.filter { refusal(of: $0.name, on: record, by: rights, under: definition) == nil }
  }

  /// Returns the refusal of a transition now, regardless of its input; nil if it would succeed.
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

  /// Returns the status, category and timers of a new record.
  package static func begin(
    under definition: WorkflowDefinition,
    at now: Instant
  ) throws(DomainError) -> InitialPlan {
    guard let state = definition.state(definition.initial) else {
      throw DomainError(.invalidWorkflow, "the initial state of \(definition.name) does not exist")
    }
    return InitialPlan(
      status: state.name,
      category: state.category,
      timers: ArmedTimer.arming(state, at: now)
    )
  }

  /// Runs all checks in order.
  private static func check(
    _ name: String,
    input: KernelCheck.Input,
    on record: RecordSnapshot,
    by rights: ActorRights,
    under definition: WorkflowDefinition
  ) throws(DomainError) -> WorkflowTransition {
    let subject = KernelCheck.Subject(
      name,
      input: input,
      record: record,
      rights: rights,
      definition: definition
    )
    for check in KernelCheck.allCases { try check.require(subject) }
    // The permission check refuses an unknown transition.
    guard let transition = subject.transition else { throw DomainError(.unknownTransition) }
    return transition
  }
}
