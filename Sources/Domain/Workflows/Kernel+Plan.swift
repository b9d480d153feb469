extension Kernel {
  /// Returns the changes that a transition makes, after all checks have passed.
  ///
  /// - Throws: `invalid_workflow` if the target state does not exist, and the errors of ``GivenTimes``.
  static func plan(
    _ transition: WorkflowTransition,
    request: TransitionRequest,
    record: RecordSnapshot,
    rights: ActorRights,
    definition: WorkflowDefinition,
    now: Instant
  ) throws(DomainError) -> TransitionPlan {
    guard let state = definition.state(transition.to) else {
      throw DomainError(.invalidWorkflow, "\(transition.name) leads to the unknown state \(transition.to)")
    }
    let isReminder = transition.isReminder(from: record.status)
    let times = try GivenTimes(request, transition, record, definition, now: now)
    let required = transition.required(of: request.fields)
    let given = required.members.map { TransitionPlan.ColumnValue(column: $0.key, value: $0.value) }
    let set = transition.set.map { clause in
      let value: JSONValue =
        switch clause.value {
        case .now: .string(now.rfc3339)
        case .given: .string((times[clause.column] ?? now).rfc3339)
        case .actor: rights.actor.person.map { .string($0.text) } ?? .null
        case .literal(let literal): literal
        }
      return TransitionPlan.ColumnValue(column: clause.column, value: value)
    }
    let comment = request.comment?.trimmingSpaces()
    return TransitionPlan(
      transition: transition.name,
      from: record.status,
      to: transition.to,
      category: state.category,
      set: given + set,
      comment: comment?.isEmpty == true ? nil : comment,
      bumpsVersion: !isReminder,
      reentersStatus: !isReminder,
      version: isReminder ? record.version : record.version + 1,
      statusEntry: isReminder ? record.statusEntry : record.statusEntry + 1,
      timers: isReminder ? [] : ArmedTimer.arming(state, at: now),
      effects: transition.effects
    )
  }
}
