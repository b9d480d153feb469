extension WorkflowLint {
  /// Checks permissions: every transition has one, and some role can take it.
  static func firing(of definition: WorkflowDefinition, in context: WorkflowContext) -> [WorkflowDiagnostic] {
    definition.transitions.flatMap { transition in
      switch transition.by {
      case .system: system(transition)
      case .person: person(transition, in: context)
      }
    }
  }

  private static func system(_ transition: WorkflowTransition) -> [WorkflowDiagnostic] {
    let path = "transitions.\(transition.name)"
    var found: [WorkflowDiagnostic] = []
    if transition.permission != nil {
      let message = "The system fires it, so a permission means nothing"
      found.append(
        .init(.systemPermission, "\(path).permission", message, "Take out permission, or by: system.")
      )
    }
    if transition.require != Requirements() || !transition.distinctFrom.isEmpty {
      let message = "The system fires it and can bring neither input nor other eyes"
      found.append(.init(.systemRequirement, "\(path).require", message, "Use a guard instead."))
    }
    return found
  }

  private static func person(
    _ transition: WorkflowTransition,
    in context: WorkflowContext
  ) -> [WorkflowDiagnostic] {
    let path = "transitions.\(transition.name).permission"
    guard let permission = transition.permission else {
      return [.init(.missingPermission, path, "Nobody is permitted to take it", "Name a permission.")]
    }
    if let known = context.permissions, !known.contains(permission) {
      let meant = Suggestion.closest(to: permission.name, among: known.map(\.name).sorted())
      let hint = meant.map { "did you mean \($0)?" } ?? "Name one that the catalogue has."
      return [.init(.unknownPermission, path, "There is no permission \(permission)", hint)]
    }
    if let roles = context.roles, !roles.values.contains(where: { $0.reach(of: permission) != .none }) {
      return [.init(.noRoleCan, path, "No role holds \(permission)", "Grant it to a role.")]
    }
    return []
  }

  /// Finds timers that fire anything but a system transition from their own state, that compete at the same
  /// time, or that loop without a delay.
  static func timers(of definition: WorkflowDefinition) -> [WorkflowDiagnostic] {
    var found: [WorkflowDiagnostic] = []
    for state in definition.states {
      for (index, timer) in state.timers.enumerated() {
        let path = "states.\(state.name).after[\(index)]"
        guard let transition = definition.transition(timer.fire) else {
          let meant = Suggestion.closest(to: timer.fire, among: definition.transitions.map(\.name))
          let hint = meant.map { "did you mean \($0)?" } ?? "Declare it under transitions."
          found.append(.init(.timerFiresUnknown, path, "There is no transition \(Quoted(timer.fire))", hint))
          continue
        }
        if transition.by != .system {
          let message = "\(timer.fire) is for people"
          found.append(
            .init(.timerFiresPerson, path, message, "Give the timer a transition with by: system.")
          )
        }
        if !transition.from.contains(state.name) {
          let message = "\(timer.fire) does not start from \(state.name)"
          found.append(.init(.timerFiresElsewhere, path, message, "Add \(state.name) to its from."))
        }
        if timer.interval?.microseconds == 0 {
          found.append(
            .init(.zeroDelayLoop, "\(path).repeat", "It repeats without a delay", "Give it a length.")
          )
        }
        for earlier in state.timers[..<index] where compete(earlier, timer, in: definition, state: state.name)
        {
          let message = "\(earlier.fire) and \(timer.fire) are due at one time"
          found.append(.init(.competingTransitions, path, message, "Let one of them be due later."))
        }
      }
      if definition.loopsWithoutDelay(from: state.name) {
        let message = "Timers without delay lead from here back to here"
        found.append(
          .init(.zeroDelayLoop, "states.\(state.name).after", message, "Give one of them a length.")
        )
      }
    }
    return found
  }

  /// True if two timers compete. Reminders do not move the record, so two different ones may be due at once.
  /// Two of the same transition may not, since the transition identifies a timer.
  private static func compete(
    _ one: TimerDefinition,
    _ other: TimerDefinition,
    in definition: WorkflowDefinition,
    state: String
  ) -> Bool {
    if one.fire == other.fire { return true }
    guard one.delay.microseconds == other.delay.microseconds else { return false }
    let moves = [one, other].compactMap { definition.transition($0.fire) }.filter {
      !$0.isReminder(from: state)
    }
    return !moves.isEmpty
  }
}

extension WorkflowDefinition {
  fileprivate func loopsWithoutDelay(from start: String) -> Bool {
    var seen: Set<String> = []
    var waiting = [start]
    while let name = waiting.popLast() {
      for timer in state(name)?.timers ?? [] where timer.delay.microseconds == 0 {
        guard let transition = transition(timer.fire), !transition.isReminder(from: name) else { continue }
        if transition.to == start { return true }
        if seen.insert(transition.to).inserted { waiting.append(transition.to) }
      }
    }
    return false
  }
}
