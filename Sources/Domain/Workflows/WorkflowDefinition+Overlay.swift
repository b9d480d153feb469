extension WorkflowDefinition {
  /// Returns the definition with the restrictions of a company's overlay.
  ///
  /// The kernel does not know overlays: the result is a definition like any other.
  package func tightened(by overlay: WorkflowOverlay) -> WorkflowDefinition {
    let labels = Dictionary(overlay.labels.map { ($0.name, $0.label) }) { first, _ in first }
    return WorkflowDefinition(
      name: name,
      version: version,
      stateField: stateField,
      initial: initial,
      states: states.map { state in
        state.tightened(by: overlay.states.first { $0.name == state.name }, label: labels[state.name])
      },
      transitions: transitions.map { transition in
        transition.tightened(
          by: overlay.transitions.first { $0.name == transition.name },
          label: state(transition.name) == nil ? labels[transition.name] : nil
        )
      },
      edit: edit,
      migrate: migrate,
      tests: tests
    )
  }
}

extension WorkflowState {
  fileprivate func tightened(by overlay: TightenedState?, label other: String?) -> WorkflowState {
    var state = WorkflowState(
      name: name,
      label: other ?? label,
      category: category,
      color: color,
      isFinal: isFinal,
      timers: timers.map { timer in
        guard let sooner = overlay?.timers.first(where: { $0.fire == timer.fire }) else { return timer }
        return TimerDefinition(
          delay: sooner.delay ?? timer.delay,
          fire: timer.fire,
          every: sooner.interval ?? timer.interval,
          limit: timer.limit
        )
      }
    )
    state.isRelabelled = isRelabelled || other != nil
    return state
  }
}

extension WorkflowTransition {
  fileprivate func tightened(by overlay: TightenedTransition?, label other: String?) -> WorkflowTransition {
    let more = overlay?.require ?? Requirements()
    let minimum = [require.commentMinimum, more.commentMinimum].compactMap { $0 }.max()
    var transition = WorkflowTransition(
      name: name,
      label: other ?? label,
      from: from,
      to: to,
      permission: permission,
      by: by,
      set: set,
      require: Requirements(
        fields: require.fields + more.fields.filter { !require.fields.contains($0) },
        commentMinimum: minimum
      ),
      guards: guards + (overlay?.guards ?? []),
      distinctFrom: distinctFrom,
      effects: effects,
      isDisabled: isDisabled || overlay?.isDisabled == true
    )
    transition.isRelabelled = isRelabelled || other != nil
    return transition
  }
}
