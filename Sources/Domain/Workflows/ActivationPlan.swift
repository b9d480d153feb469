/// The plan for moving a company's live records to another version of a workflow.
package struct ActivationPlan: Sendable, Hashable {
  /// The result of the activation for the records in one state.
  package enum Fate: Sendable, Hashable {
    /// The new version has the same state.
    case stays
    /// The new version maps the state to another one.
    case moves(to: String)
    /// The new version neither has nor maps the state. A live record in it prevents the activation.
    case lost
  }

  /// The live records in one state, and what becomes of them.
  package struct Line: Sendable, Hashable {
    /// The state in the old version.
    package let status: String
    /// The number of live records in the state.
    package let count: Int
    /// The result for these records.
    package let fate: Fate
  }

  /// The old version.
  package let current: Int
  /// The new version.
  package let next: Int
  /// The lines by state: first the old version's states, then those that only the new version has, then
  /// others with records.
  package let lines: [Line]
  /// The new state of each old state; lost states are left out.
  package let places: [Place]

  /// An old state and its new state.
  package struct Place: Sendable, Hashable {
    /// The old state.
    package let from: String
    /// The new state.
    package let state: WorkflowState
  }

  /// Creates the plan.
  ///
  /// - Parameter counts: the number of live records by state.
  package init(from current: WorkflowDefinition, to next: WorkflowDefinition, counts: [String: Int]) {
    self.current = current.version
    self.next = next.version
    let known = current.states.map(\.name) + next.states.map(\.name)
    var seen: Set<String> = []
    let names = (known + counts.keys.sorted()).filter { seen.insert($0).inserted }
    places = names.compactMap { name in
      // The version that the company leaves may say where the records go that only it has a state for.
      let mapped = [next, current].lazy.compactMap { version in
        version.migrate.first { $0.from == name && next.state($0.to) != nil }?.to
      }.first
      let target = next.state(name) == nil ? mapped : name
      return target.flatMap(next.state).map { Place(from: name, state: $0) }
    }
    let places = Dictionary(places.map { ($0.from, $0.state.name) }) { first, _ in first }
    lines = names.map { name in
      let fate: Fate = places[name].map { $0 == name ? .stays : .moves(to: $0) } ?? .lost
      return Line(status: name, count: counts[name] ?? 0, fate: fate)
    }
  }

  /// The lost states that have live records.
  package var lost: [Line] { lines.filter { $0.fate == .lost && $0.count > 0 } }

  /// The number of live records whose state changes.
  package var moving: Int {
    lines.reduce(0) { sum, line in if case .moves = line.fate { sum + line.count } else { sum } }
  }

  /// Requires that no live record is in a lost state.
  ///
  /// - Throws: `states_still_used` with the number of records in each of these states.
  package func requireComplete(_ type: String) throws(DomainError) {
    guard !lost.isEmpty else { return }
    let places = lost.map { "\($0.status) \($0.count)" }.joined(separator: ", ")
    throw DomainError(
      .statesStillUsed,
      "records of \(type) are in states that version \(next) lacks: \(places)",
      hint: "map the states under migrate:, or move the records first",
      details: ["states": .object(JSONObject(lost.map { ($0.status, .integer($0.count)) }))]
    )
  }
}
