extension WorkflowOverlay {
  /// Returns all faults of an overlay of a definition, such as keys that would loosen it; empty if there are
  /// none.
  ///
  /// Whether guards parse is checked by PostgreSQL.
  package func validate(
    against definition: WorkflowDefinition,
    in context: WorkflowContext = WorkflowContext()
  ) -> [WorkflowDiagnostic] {
    guard workflow == definition.name, version == definition.version else {
      let message =
        "the overlay is for \(workflow)@\(version), not for \(definition.name)@\(definition.version)"
      return [.init(.overlayOtherVersion, "overlay", message, "correct the workflow or version in overlay")]
    }
    let found =
      WorkflowLint.transitions(of: self, against: definition)
      + WorkflowLint.states(of: self, against: definition)
      + WorkflowLint.labels(of: self, against: definition)
    guard found.isEmpty else { return found }
    return WorkflowLint.outcome(of: self, on: definition, in: context)
  }
}

extension WorkflowLint {
  fileprivate static func transitions(
    of overlay: WorkflowOverlay,
    against definition: WorkflowDefinition
  ) -> [WorkflowDiagnostic] {
    overlay.transitions.enumerated().flatMap { index, tightened -> [WorkflowDiagnostic] in
      let path = "tighten.transitions.\(tightened.name)"
      if overlay.transitions[..<index].contains(where: { $0.name == tightened.name }) {
        return [.init(.duplicateName, path, "\(tightened.name) is declared twice", "write it once")]
      }
      guard let transition = definition.transition(tightened.name) else {
        return [
          unknown(tightened.name, among: definition.transitions.map(\.name), .overlayNewTransition, path)
        ]
      }
      guard transition.by == .person else {
        let message = "an overlay cannot change the system transition \(transition.name)"
        return [.init(.overlayTouchesSystem, path, message, "tighten a transition of people")]
      }
      return surplus(of: tightened, at: path) + comparison(of: tightened, with: transition, at: path)
    }
  }

  /// Returns findings about keys that an overlay may not have, because they would loosen the workflow.
  private static func surplus(of tightened: TightenedTransition, at path: String) -> [WorkflowDiagnostic] {
    tightened.surplus.map { key in
      let place = "\(path).\(key)"
      switch key {
      case "permission", "by":
        return .init(
          .overlayChangesRights,
          place,
          "an overlay cannot change permissions",
          "change roles instead"
        )
      case "distinct_from":
        return .init(
          .overlayChangesFourEyes,
          place,
          "an overlay cannot change distinct_from",
          "leave it out"
        )
      case "from", "to":
        return .init(.overlayChangesWay, place, "an overlay cannot change from and to", "leave it out")
      case "label":
        return .init(.overlayLabel, place, "an overlay has labels under relabel", "move the label there")
      default:
        return .init(
          .overlayChangesOutcome,
          place,
          "an overlay cannot change what a transition writes or causes",
          "leave it out"
        )
      }
    }
  }

  private static func comparison(
    of tightened: TightenedTransition,
    with transition: WorkflowTransition,
    at path: String
  ) -> [WorkflowDiagnostic] {
    var found: [WorkflowDiagnostic] = []
    if tightened.isDisabled == false {
      let message = "an overlay can disable transitions but not enable them"
      found.append(.init(.overlayEnables, "\(path).disabled", message, "leave it out"))
    }
    if let mine = tightened.require.commentMinimum, let theirs = transition.require.commentMinimum,
      mine < theirs
    {
      let message = "\(mine) characters are fewer than the \(theirs) of the definition"
      found.append(
        .init(.overlayShorterComment, "\(path).require.comment", message, "require \(theirs) or more")
      )
    }
    return found
  }

  fileprivate static func states(
    of overlay: WorkflowOverlay,
    against definition: WorkflowDefinition
  ) -> [WorkflowDiagnostic] {
    overlay.states.flatMap { tightened -> [WorkflowDiagnostic] in
      let path = "tighten.states.\(tightened.name)"
      guard let state = definition.state(tightened.name) else {
        return [unknown(tightened.name, among: definition.states.map(\.name), .overlayNewState, path)]
      }
      let surplus = tightened.surplus.map { key in
        key == "label"
          ? WorkflowDiagnostic(
            .overlayLabel,
            "\(path).label",
            "an overlay has labels under relabel",
            "move the label there"
          )
          : WorkflowDiagnostic(
            .overlayChangesState,
            "\(path).\(key)",
            "an overlay can only change the timers of a state",
            "leave it out"
          )
      }
      return surplus
        + tightened.timers.flatMap { timers(of: $0, against: state, at: "\(path).after.\($0.fire)") }
    }
  }

  private static func timers(
    of tightened: TightenedTimer,
    against state: WorkflowState,
    at path: String
  ) -> [WorkflowDiagnostic] {
    guard let timer = state.timers.first(where: { $0.fire == tightened.fire }) else {
      return [unknown(tightened.fire, among: state.timers.map(\.fire), .overlayNewTimer, path)]
    }
    var found: [WorkflowDiagnostic] = []
    if let delay = tightened.delay, delay.microseconds > timer.delay.microseconds {
      let message = "\(delay) is longer than the \(timer.delay) of the definition"
      found.append(.init(.overlayLongerTimer, "\(path).delay", message, "make it shorter"))
    }
    if let interval = tightened.interval {
      if let theirs = timer.interval, interval.microseconds > theirs.microseconds {
        let message = "\(interval) is longer than the \(theirs) of the definition"
        found.append(.init(.overlayLongerTimer, "\(path).repeat", message, "make it shorter"))
      } else if timer.interval == nil {
        found.append(.init(.overlayNewTimer, "\(path).repeat", "the timer does not repeat", "remove repeat"))
      }
    }
    return found
  }

  fileprivate static func labels(
    of overlay: WorkflowOverlay,
    against definition: WorkflowDefinition
  ) -> [WorkflowDiagnostic] {
    let names = definition.states.map(\.name) + definition.transitions.map(\.name)
    return overlay.labels.flatMap { label -> [WorkflowDiagnostic] in
      let path = "relabel.\(label.name)"
      guard names.contains(label.name) else {
        return [unknown(label.name, among: names, .unknownState, path)]
      }
      guard label.label.isVisible, label.label.count <= 200 else {
        return [.init(.invalidName, path, "a label is 1 to 200 characters", "write a label of this length")]
      }
      return []
    }
  }

  /// Returns the faults of the tightened definition that the definition itself does not have.
  fileprivate static func outcome(
    of overlay: WorkflowOverlay,
    on definition: WorkflowDefinition,
    in context: WorkflowContext
  ) -> [WorkflowDiagnostic] {
    var context = context
    let own = overlay.transitions.flatMap { $0.guards.map(\.message) }.filter { !Identifier.isWord($0) }
    context.messages?.formUnion(own)  // a guard of an overlay may contain its message
    let tightened = definition.tightened(by: overlay)
    let before = Set(columns(of: definition, in: context) + timers(of: definition))
    let found = (columns(of: tightened, in: context) + timers(of: tightened)).filter { !before.contains($0) }
    return found.map { .init($0.code, "tighten.\($0.path)", $0.message, $0.hint) }
      + stuck(in: tightened, butNotIn: definition)
  }

  private static func stuck(
    in tightened: WorkflowDefinition,
    butNotIn definition: WorkflowDefinition
  ) -> [WorkflowDiagnostic] {
    tightened.states.compactMap { state in
      guard !state.isEnd, !tightened.reachesEnd(from: state.name),
        definition.reachesEnd(from: state.name)
      else { return nil }
      let message = "no state of category done or failed can be reached from \(state.name)"
      return .init(.noPathToFinal, "tighten.transitions", message, "keep a transition that leads there")
    }
  }

  private static func unknown(
    _ name: String,
    among known: [String],
    _ code: WorkflowDiagnostic.Code,
    _ path: String
  ) -> WorkflowDiagnostic {
    let meant = Suggestion.closest(to: name, among: known)
    return .init(
      code,
      path,
      "the definition has no \(Quoted(name)) here, and an overlay cannot add it",
      meant.map { "did you mean \($0)?" } ?? "Name one of: \(known.joined(separator: ", "))."
    )
  }
}

extension WorkflowDefinition {
  /// True if transitions that are not disabled lead from a state to one in which work ends.
  func reachesEnd(from name: String) -> Bool {
    let onward = states(reachableFrom: [name])
    return states.contains { $0.isEnd && onward.contains($0.name) }
  }
}
