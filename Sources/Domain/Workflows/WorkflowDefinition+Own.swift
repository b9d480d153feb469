/// A version of an app's workflow that a company installs for itself: other states, transitions and timers for the same
/// record type.
///
/// Its file has the version of the app's workflow from which it was made. The installation gives it a number of its own.
extension WorkflowDefinition {
  /// The numbers of companies' own versions. Apps number theirs below.
  package static let ownVersions = 1_000_000_001...Int(Int32.max)

  /// True for a version that a company installed, false for one of the app.
  package var isOwn: Bool { Self.ownVersions.contains(version) }

  /// Returns the definition under another number.
  package func numbered(_ version: Int) -> WorkflowDefinition {
    WorkflowDefinition(
      name: name,
      version: version,
      stateField: stateField,
      initial: initial,
      states: states,
      transitions: transitions,
      edit: edit,
      migrate: migrate,
      tests: tests
    )
  }

  /// Returns the names of the other version's states that this one does not have.
  package func statesLacking(from other: WorkflowDefinition) -> [String] {
    other.states.map(\.name).filter { state($0) == nil }
  }
}

/// A piece of an app's SQL, in which a workflow's states can be named.
package struct NamingText: Sendable {
  /// The object or file, such as `report.v1_downtime`.
  package let place: String
  package let text: String

  package init(place: String, text: String) {
    self.place = place
    self.text = text
  }
}

extension AppManifest {
  /// Returns the findings about a company's own version of a workflow of this app, besides those that need a database.
  ///
  /// - Parameters:
  ///   - base: the version of the app from which it was made.
  ///   - texts: the SQL of the app.
  package func findings(
    aboutOwn definition: WorkflowDefinition,
    madeFrom base: WorkflowDefinition,
    in context: ManifestContext = ManifestContext(),
    texts: [NamingText]
  ) -> [ManifestDiagnostic] {
    var context = context
    context.previous[definition.name] = base
    return findings(about: definition, in: context)
      + (WorkflowLint.permissions(of: definition, madeFrom: base, in: self)
      + WorkflowLint.waysBack(of: definition, to: base)).map(\.ofManifest)
      + findings(aboutStatesLacking: definition.statesLacking(from: base), of: definition.name, in: texts)
  }

  /// Returns a finding for each text that names a state which a workflow no longer has. Such a report would show no rows.
  package func findings(
    aboutStatesLacking states: [String],
    of workflow: String,
    in texts: [NamingText]
  ) -> [ManifestDiagnostic] {
    guard !states.isEmpty, let type = types.first(where: { $0.workflow == workflow }) else { return [] }
    return texts.flatMap { piece -> [ManifestDiagnostic] in
      // Others may have a state of the same name.
      guard piece.text.contains(type.table) || piece.text.contains("'\(type.name)'") else { return [] }
      return states.filter { piece.text.contains("'\($0)'") }.map { state in
        WorkflowDiagnostic(
          .stateNamedInSQL,
          "states",
          "\(piece.place) names the state \(state), which this version lacks",
          "keep the state's name and change its label, or let the SQL name its category"
        ).ofManifest
      }
    }
  }
}

extension WorkflowLint {
  /// An own version has the permissions of the app: roles are granted these, and an upgrade keeps them.
  static func permissions(
    of definition: WorkflowDefinition,
    madeFrom base: WorkflowDefinition,
    in manifest: AppManifest
  ) -> [WorkflowDiagnostic] {
    let type = manifest.types.first { $0.workflow == definition.name }
    let known = Set(
      (type?.permissions(with: base) ?? [])
        + (type?.permissions(with: manifest.workflow(definition.name)) ?? [])
    )
    return definition.transitions.compactMap { transition in
      guard let permission = transition.permission, !known.contains(permission) else { return nil }
      let names = Set(known.map(\.wider.name)).sorted()
      return WorkflowDiagnostic(
        .unknownPermission,
        "transitions.\(transition.name).permission",
        "the app has no permission \(permission.name)",
        "use one of: \(names.joined(separator: ", "))"
      )
    }
  }

  /// Requires a place in the app's version for records of each state that only the own version has.
  static func waysBack(of definition: WorkflowDefinition, to base: WorkflowDefinition) -> [WorkflowDiagnostic]
  {
    definition.states.filter { base.state($0.name) == nil }.compactMap { state in
      let back = definition.migrate.first { $0.from == state.name }?.to
      guard back.flatMap(base.state) == nil else { return nil }
      return WorkflowDiagnostic(
        .missingWayBack,
        "migrate",
        "version \(base.version) lacks the state \(state.name), so that its records could not leave this version",
        "add \(state.name): STATE to migrate, with a state of version \(base.version)"
      )
    }
  }
}
