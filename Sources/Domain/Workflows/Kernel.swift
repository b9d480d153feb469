/// Decides transitions from values alone, without a clock, a database or other state.
///
/// The cases of ``KernelCheck`` are the checks, in the order in which they run. Commands, bulk commands, the
/// list of available transitions, the dry run and `fettle access explain` run the same checks, so their
/// results agree.
package enum Kernel {
  /// Decides a request, and returns the changes to make.
  ///
  /// - Parameter now: the time of the transition, for timers and for columns that are set to it.
  /// - Throws: the error of the first check that fails.
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

  /// Returns the transitions that would succeed now with valid input, in the order of the definition.
  package static func available(
    on record: RecordSnapshot,
    by rights: ActorRights,
    under definition: WorkflowDefinition
  ) -> [WorkflowTransition] {
    definition.transitions.filter { refusal(of: $0.name, on: record, by: rights, under: definition) == nil }
  }

  /// Returns the error that a transition would have now with valid input; nil if it would succeed.
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

  /// Returns the status, the status category and the timers of a new record.
  ///
  /// - Throws: `invalid_workflow` if the initial state does not exist.
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

  /// Runs all checks in order, and returns the transition.
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
    // For an unknown transition, the check of the permission has already thrown an error.
    guard let transition = subject.transition else { throw DomainError(.unknownTransition) }
    return transition
  }
}
