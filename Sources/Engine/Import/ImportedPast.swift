internal import Domain
internal import Store

/// What an import may state of a record's past, because it happened in another system: when the record was created, and
/// the times and members that transitions of its workflow set.
///
/// A record has these only in states in which its transitions would have left them. Members are proof of who acted, so
/// only an actor who may import every status states them.
struct ImportedPast {
  /// The column with the time of creation.
  static let creation = "created_at"

  private struct Clause {
    let isMember: Bool
    /// The states in which the column has a value.
    let states: Set<String>
  }

  private let type: RecordType
  private let clauses: [String: Clause]
  /// The transitions that lead to each status.
  private let ways: [String: [WorkflowTransition]]

  init(_ type: RecordType) {
    self.type = type
    let transitions = type.workflow?.transitions ?? []
    var clauses: [String: Clause] = [:]
    for clause in transitions.flatMap(\.set) where !type.definition.creatable.contains(clause.column) {
      switch clause.value {
      case .now, .given, .actor:
        let states = Self.states(with: clause.column, transitions)
        clauses[clause.column] = Clause(isMember: clause.value == .actor, states: states)
      case .literal: break
      }
    }
    self.clauses = clauses
    ways = clauses.isEmpty ? [:] : type.workflow?.ways() ?? [:]
  }

  /// The columns with times, which a heading of their name fills.
  var times: [String] { [Self.creation] + clauses.filter { !$0.value.isMember }.keys.sorted() }

  /// All columns.
  var columns: [String] { [Self.creation] + clauses.keys.sorted() }

  /// Returns the columns among these fields, besides the time of creation.
  func given(in fields: JSONObject) -> [String] { fields.keys.filter { clauses[$0] != nil }.sorted() }

  /// Requires that a record in a status can have these columns, that the actor may state them, that nothing is in the
  /// future, and that the times follow each other.
  ///
  /// - Parameters:
  ///   - isUnrestricted: true for an actor who may import every status.
  ///   - isDay: true if the time of a column is stated as a date alone.
  /// - Throws: `invalid_input` naming the column; `forbidden` for a member without the right.
  func require(
    _ fields: JSONObject,
    created: Instant?,
    status: String?,
    now: Instant,
    isUnrestricted: Bool,
    isDay: (String) -> Bool
  ) throws(DomainError) {
    try Self.requirePast(created, Self.creation, now)
    var times: [String: Instant] = [:]
    for (name, clause) in clauses {
      guard let value = fields[name], !value.isNull else { continue }
      guard let status, clause.states.contains(status) else {
        throw DomainError(
          .invalidInput,
          "\(name) is given, but a record that is \(status ?? "without a status") has none",
          hint: "give it for the status \(clause.states.sorted().joined(separator: " or ")) only"
        )
      }
      if clause.isMember {
        guard isUnrestricted else {
          throw DomainError(
            .forbidden,
            "\(name) says who acted, which only an operator imports",
            hint: "leave \(name) out, or ask an operator to import"
          )
        }
      } else {
        let time = try Instant(parsing: value.displayText)
        try Self.requirePast(time, name, now)
        times[name] = time
      }
    }
    guard !times.isEmpty, let workflow = type.workflow, let way = status.flatMap({ ways[$0] }) else { return }
    times[Self.creation] = created
    try GivenTimes.requireOrder(times, along: way, workflow, isDay: isDay)
  }

  private static func requirePast(_ time: Instant?, _ name: String, _ now: Instant) throws(DomainError) {
    guard let time, time > now else { return }
    throw DomainError(
      .invalidInput,
      "\(name): \(time) is in the future",
      hint: "correct it, or leave it empty"
    )
  }

  /// Returns the states that records reach after a transition that sets a column, and before one that clears it.
  private static func states(with name: String, _ transitions: [WorkflowTransition]) -> Set<String> {
    func value(_ transition: WorkflowTransition) -> SetValue? {
      transition.set.first { $0.column == name }?.value
    }
    func clears(_ transition: WorkflowTransition) -> Bool { value(transition) == .literal(.null) }
    let setting = transitions.filter { value($0) != nil && !clears($0) }
    var found = Set(setting.map(\.to))
    var waiting = Array(found)
    while let state = waiting.popLast() {
      for transition in transitions where transition.from.contains(state) && !clears(transition) {
        if found.insert(transition.to).inserted { waiting.append(transition.to) }
      }
    }
    return found
  }
}
