extension WorkflowDefinition {
  /// Returns all faults that can be found without a database; empty if there are none.
  ///
  /// If there are no faults and the context has the roles' permissions, the tests in the workflow's file run
  /// too. Only PostgreSQL can check that guards parse.
  package func validate(in context: WorkflowContext = WorkflowContext()) -> [WorkflowDiagnostic] {
    let names = WorkflowLint.names(of: self)
    // The checks of the graph would repeat the faults of unknown states.
    let graph = names.contains { $0.code == .unknownState } ? [] : WorkflowLint.graph(of: self)
    let rest =
      WorkflowLint.firing(of: self, in: context) + WorkflowLint.timers(of: self)
      + WorkflowLint.columns(of: self, in: context) + WorkflowLint.effects(of: self, in: context)
      + WorkflowLint.migration(of: self, in: context)
    let found = names + graph + rest
    guard found.isEmpty, let roles = context.roles else { return found }
    return tests.enumerated().compactMap { index, test in
      WorkflowTestRun.failure(of: test, under: self, roles: roles).map { failure in
        WorkflowDiagnostic(
          code: .testFailed,
          path: "tests[\(index)]",
          message: "\(Quoted(test.name)): \(failure)",
          hint: "correct the workflow, or the expected result of the test"
        )
      }
    }
  }
}

/// The checks of ``WorkflowDefinition/validate(in:)``, by topic.
enum WorkflowLint {
  static func names(of definition: WorkflowDefinition) -> [WorkflowDiagnostic] {
    var found: [WorkflowDiagnostic] = []
    let groups = [
      ("states", definition.states.map(\.name)), ("transitions", definition.transitions.map(\.name)),
    ]
    for (group, names) in groups {
      for (index, name) in names.enumerated() {
        let path = "\(group).\(name)"
        if !Identifier.isWord(name) {
          found.append(
            .init(
              .invalidName,
              path,
              "\(Quoted(name)) is not a lower-case word",
              "write it like in_progress"
            )
          )
        }
        if names[..<index].contains(name) {
          found.append(.init(.duplicateName, path, "\(name) is declared twice", "rename one of them"))
        }
      }
    }
    func look(up state: String, at path: String) {
      guard definition.state(state) == nil else { return }
      let meant = Suggestion.closest(to: state, among: definition.states.map(\.name))
      let hint = meant.map { "did you mean \($0)?" } ?? "declare it under states"
      found.append(.init(.unknownState, path, "there is no state \(Quoted(state))", hint))
    }
    if definition.stateField != "status" {
      found.append(
        .init(
          .invalidName,
          "state_field",
          "the state column is \(Quoted(definition.stateField)), but the engine only writes status",
          "rename the column to status"
        )
      )
    }
    look(up: definition.initial, at: "initial")
    for transition in definition.transitions {
      let path = "transitions.\(transition.name)"
      look(up: transition.to, at: "\(path).to")
      for (index, state) in transition.from.enumerated() { look(up: state, at: "\(path).from[\(index)]") }
      if transition.from.isEmpty {
        found.append(
          .init(.emptyFrom, "\(path).from", "the transition has no start state", "add a state to from")
        )
      }
    }
    return found
  }

  static func graph(of definition: WorkflowDefinition) -> [WorkflowDiagnostic] {
    var found: [WorkflowDiagnostic] = []
    let reachable = definition.states(reachableFrom: [definition.initial])
    for state in definition.states {
      let path = "states.\(state.name)"
      if !reachable.contains(state.name) {
        found.append(
          .init(.unreachableState, path, "no transition leads to this state", "add one, or remove the state")
        )
      } else if state.isFinal {
        found += ways(outOf: state.name, in: definition)
      } else if definition.states(reachableFrom: [state.name]).count == 1 {
        found.append(
          .init(.deadEnd, path, "no transition leaves this state", "add one, or mark it final: true")
        )
      } else if !definition.reachesEnd(from: state.name) {
        found.append(
          .init(
            .noPathToFinal,
            path,
            "no state of category done or failed can be reached from this state",
            "add a transition, or such a state"
          )
        )
      }
    }
    return found
  }

  /// Returns a finding for each transition from a final state to another state.
  private static func ways(outOf state: String, in definition: WorkflowDefinition) -> [WorkflowDiagnostic] {
    definition.transitions.filter { $0.from.contains(state) && $0.to != state }.map { transition in
      .init(
        .finalStateLeft,
        "transitions.\(transition.name).from",
        "\(transition.name) leaves the final state \(state)",
        "remove final: true from the state; with category: done, work ends there and can be reopened"
      )
    }
  }

  static func migration(of definition: WorkflowDefinition, in context: WorkflowContext)
    -> [WorkflowDiagnostic]
  {
    var found: [WorkflowDiagnostic] = []
    for mapping in definition.migrate where definition.state(mapping.to) == nil {
      let message = "\(mapping.from) is mapped to \(Quoted(mapping.to)), which is not a state"
      found.append(
        .init(.unknownState, "migrate.\(mapping.from)", message, "map it to a state of this version")
      )
    }
    let mapped = Set(definition.migrate.map(\.from))
    for state in context.previous?.states ?? [] {
      guard definition.state(state.name) == nil, !mapped.contains(state.name) else { continue }
      let message = "the active version's state \(state.name) is neither kept nor mapped"
      found.append(.init(.missingMigration, "migrate", message, "add \(state.name): STATE to migrate"))
    }
    return found
  }
}

extension WorkflowDefinition {
  /// Returns the states that can be reached from some states, which are included. Disabled transitions do not
  /// count.
  func states(reachableFrom start: Set<String>) -> Set<String> {
    var reached = start
    var waiting = Array(start)
    while let state = waiting.popLast() {
      for transition in transitions where transition.from.contains(state) && !transition.isDisabled {
        if reached.insert(transition.to).inserted { waiting.append(transition.to) }
      }
    }
    return reached
  }
}

extension WorkflowDiagnostic {
  init(_ code: Code, _ path: String, _ message: String, _ hint: String) {
    self.init(code: code, path: path, message: message, hint: hint)
  }
}
