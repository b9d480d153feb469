extension WorkflowLint {
  /// Checks the actors of transitions: people need a permission that some role holds; the system needs none.
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
      let message = "a system transition cannot require a permission"
      found.append(
        .init(.systemPermission, "\(path).permission", message, "remove permission, or remove by: system")
      )
    }
    if transition.require != Requirements() || !transition.distinctFrom.isEmpty {
      let message = "a system transition cannot require input or another person"
      found.append(.init(.systemRequirement, "\(path).require", message, "use a guard instead"))
    }
    return found
  }

  private static func person(
    _ transition: WorkflowTransition,
    in context: WorkflowContext
  ) -> [WorkflowDiagnostic] {
    let path = "transitions.\(transition.name).permission"
    guard let permission = transition.permission else {
      let message = "the transition requires no permission, so nobody may take it"
      return [.init(.missingPermission, path, message, "add permission")]
    }
    if let known = context.permissions, !known.contains(permission) {
      let meant = Suggestion.closest(to: permission.name, among: known.map(\.name).sorted())
      let hint = meant.map { "did you mean \($0)?" } ?? "name an existing permission"
      return [.init(.unknownPermission, path, "there is no permission \(permission)", hint)]
    }
    if let roles = context.roles, !roles.values.contains(where: { $0.reach(of: permission) != .none }) {
      return [.init(.noRoleCan, path, "no role holds \(permission)", "grant it to a role")]
    }
    return []
  }

  /// Checks that timers fire system transitions from their own state, do not compete, and do not loop without
  /// a delay.
  static func timers(of definition: WorkflowDefinition) -> [WorkflowDiagnostic] {
    var found: [WorkflowDiagnostic] = []
    for state in definition.states {
      for (index, timer) in state.timers.enumerated() {
        let path = "states.\(state.name).after[\(index)]"
        guard let transition = definition.transition(timer.fire) else {
          let meant = Suggestion.closest(to: timer.fire, among: definition.transitions.map(\.name))
          let hint = meant.map { "did you mean \($0)?" } ?? "declare it under transitions"
          found.append(.init(.timerFiresUnknown, path, "there is no transition \(Quoted(timer.fire))", hint))
          continue
        }
        if transition.by != .system {
          let message = "\(timer.fire) is not a system transition"
          found.append(
            .init(.timerFiresPerson, path, message, "name a transition with by: system")
          )
        }
        if !transition.from.contains(state.name) {
          let message = "\(timer.fire) does not start from \(state.name)"
          found.append(.init(.timerFiresElsewhere, path, message, "add \(state.name) to its from"))
        }
        if timer.interval?.microseconds == 0 {
          found.append(
            .init(
              .zeroDelayLoop,
              "\(path).repeat",
              "the timer repeats without a delay",
              "make repeat longer than zero"
            )
          )
        }
        for earlier in state.timers[..<index] where compete(earlier, timer, in: definition, state: state.name)
        {
          let message = "\(earlier.fire) and \(timer.fire) are due at the same time"
          found.append(.init(.competingTransitions, path, message, "make the delay of one of them longer"))
        }
      }
      if definition.loopsWithoutDelay(from: state.name) {
        let message = "Timers without a delay lead from this state back to it"
        found.append(
          .init(.zeroDelayLoop, "states.\(state.name).after", message, "make one delay longer than zero")
        )
      }
    }
    return found
  }

  /// True if two timers of a state compete.
  ///
  /// Two timers of the same transition always compete, because the transition identifies a timer. Two others
  /// compete if they are due at the same time and at least one of them moves the record.
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
