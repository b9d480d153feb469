/// The plan of moving a company's live records to another version of a workflow.
package struct ActivationPlan: Sendable, Hashable {
  /// The plan for the records in one state.
  package enum Fate: Sendable, Hashable {
    /// The new version has the state.
    case stays
    /// The new version maps it to this state.
    case moves(to: String)
    /// The new version does not map it, so no record may be in it.
    case lost
  }

  /// The records in one state.
  package struct Line: Sendable, Hashable {
    /// The state.
    package let status: String
    /// The number of live records in it.
    package let count: Int
    /// The state that they move to.
    package let fate: Fate
  }

  /// The old version.
  package let current: Int
  /// The new version.
  package let next: Int
  /// The plans by state: those of the old version, then those that only the new one has.
  package let lines: [Line]
  /// The state mapping of the new version; unmapped states are left out.
  package let places: [Place]

  /// The mapping of one state.
  package struct Place: Sendable, Hashable {
    /// The old state.
    package let from: String
    /// The new state.
    package let state: WorkflowState
  }

  /// Compares two versions given the record counts.
  package init(from current: WorkflowDefinition, to next: WorkflowDefinition, counts: [String: Int]) {
    self.current = current.version
    self.next = next.version
    let known = current.states.map(\.name) + next.states.map(\.name)
    var seen: Set<String> = []
    let names = (known + counts.keys.sorted()).filter { seen.insert($0).inserted }
    places = names.compactMap { name in
      let target = next.state(name) == nil ? next.migrate.first { $0.from == name }?.to : name
      return target.flatMap(next.state).map { Place(from: name, state: $0) }
    }
    let places = Dictionary(places.map { ($0.from, $0.state.name) }) { first, _ in first }
    lines = names.map { name in
      let fate: Fate = places[name].map { $0 == name ? .stays : .moves(to: $0) } ?? .lost
      return Line(status: name, count: counts[name] ?? 0, fate: fate)
    }
  }

  /// The unmapped states with records, and their counts.
  package var lost: [Line] { lines.filter { $0.fate == .lost && $0.count > 0 } }

  /// The number of records that change their state.
  package var moving: Int {
    lines.reduce(0) { sum, line in if case .moves = line.fate { sum + line.count } else { sum } }
  }

  /// Refuses to leave records in unmapped states; the error lists the counts.
  package func requireComplete(_ type: String) throws(DomainError) {
    guard !lost.isEmpty else { return }
    let places = lost.map { "\($0.status) \($0.count)" }.joined(separator: ", ")
    throw DomainError(
      .statesStillUsed,
      "records of \(type) are in states that version \(next) lacks: \(places)",
      hint: "Map them under migrate: in a further version, or move them on first.",
      details: ["states": .object(JSONObject(lost.map { ($0.status, .integer($0.count)) }))]
    )
  }
}
