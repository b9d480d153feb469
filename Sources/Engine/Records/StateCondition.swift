internal import Domain
internal import Postgres
internal import Store

/// Checks conditions on a record's status or status category against the existing names.
struct StateCondition {
  /// The type under the workflow that the company follows, as far as that is known.
  private let type: RecordType
  private let database: Database

  init(_ type: RecordType, _ database: Database) {
    self.type = type
    self.database = database
  }

  /// Returns the condition with canonical state names. The input may use labels or another case.
  ///
  /// - Throws: `invalid_input` for a state that no version of the workflow has.
  func checked(_ condition: RecordCondition) async throws -> RecordCondition {
    guard type.workflow != nil,
      [.equal, .notEqual, .isIn, .isNotIn].contains(condition.comparison),
      ["status", "status_category"].contains(condition.column)
    else { return condition }
    let states = try await states(for: condition)
    var values: [String] = []
    let own = condition.column == "status" ? type.workflow?.states.map(\.name) : nil
    for value in condition.values {
      values.append(try Self.state(value, among: states, hinting: own ?? states.map(\.name), of: type))
    }
    return RecordCondition(condition.column, condition.comparison, values)
  }

  private typealias State = (name: String, label: String)

  private func states(for condition: RecordCondition) async throws -> [State] {
    guard condition.column == "status" else {
      return StateCategory.allCases.map { ($0.rawValue, $0.rawValue) }
    }
    let known = (type.workflow?.states ?? []).map { ($0.name, $0.label) }
    guard condition.values.contains(where: { value in !known.contains { $0.0 == value } }) else {
      return known
    }
    // Companies may follow other versions of the workflow, so their states are allowed too.
    let name = type.name
    let others = try await database.rows(
      "select w.body from core.workflow_definition w where w.record_type = \(name) order by w.version",
      JSON.self
    )
    let all =
      known
      + (try others.flatMap { try $0.decoded(as: WorkflowDefinition.self).states.map { ($0.name, $0.label) } })
    var seen: Set<String> = []
    return all.filter { seen.insert($0.0).inserted }
  }

  /// - Throws: `invalid_input`, with a hint of the company's own states: versions for other companies may have others.
  private static func state(
    _ text: String,
    among states: [State],
    hinting names: [String],
    of type: RecordType
  ) throws -> String {
    let folded = text.lowercased()
    if let found = states.first(where: { $0.name.lowercased() == folded }) { return found.name }
    if let found = states.first(where: { $0.label.lowercased() == folded }) { return found.name }
    throw DomainError(
      .invalidInput,
      "\(type.definition.plural.lowercased()) have no state \(Quoted(text))",
      hint: Suggestion.closest(to: text, among: names).map { "did you mean \($0)?" }
        ?? "use one of: \(names.joined(separator: ", "))"
    )
  }
}
