/// A workflow: a flat state machine on one column of a record type, as defined in YAML.
///
/// Decoding checks only the form of a definition; ``validate(in:)`` checks its meaning. States and
/// transitions keep the order of the file, in which they are shown.
package struct WorkflowDefinition: Sendable, Hashable {
  /// The record type of the workflow, such as `maintenance.entry`.
  package let name: String
  /// The version, raised with every activated change.
  package let version: Int
  /// The column of the state; only `status` is valid.
  package let stateField: String
  /// The state of a new record.
  package let initial: String
  /// The states in file order.
  package let states: [WorkflowState]
  /// The transitions in file order.
  package let transitions: [WorkflowTransition]
  /// The edit rules, used if the record type has none.
  package let edit: [EditRule]
  /// The mapping of states that this version does not have to states that it has.
  package let migrate: [StateMapping]
  /// The tests in the file.
  package let tests: [WorkflowTest]

  /// Creates a definition without checks.
  package init(
    name: String,
    version: Int,
    stateField: String = "status",
    initial: String,
    states: [WorkflowState],
    transitions: [WorkflowTransition],
    edit: [EditRule] = [],
    migrate: [StateMapping] = [],
    tests: [WorkflowTest] = []
  ) {
    self.name = name
    self.version = version
    self.stateField = stateField
    self.initial = initial
    self.states = states
    self.transitions = transitions
    self.edit = edit
    self.migrate = migrate
    self.tests = tests
  }

  /// Returns the state with a name; nil if there is none.
  package func state(_ name: String) -> WorkflowState? { states.first { $0.name == name } }

  /// Returns the transition with a name; nil if there is none.
  package func transition(_ name: String) -> WorkflowTransition? { transitions.first { $0.name == name } }

  /// The columns that transitions set. Edits cannot change them.
  package var columnsSet: Set<String> { Set(transitions.flatMap { $0.set.map(\.column) }) }

  /// The permissions that transitions require, in the order of the transitions, without duplicates.
  package var permissions: [Permission] {
    var seen: Set<Permission> = []
    return transitions.compactMap(\.permission).filter { seen.insert($0).inserted }
  }
}

extension WorkflowDefinition: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case workflow, version, states, transitions, edit, migrate, tests, initial
    case stateField = "state_field"
  }

  /// Decodes a definition.
  ///
  /// - Throws: `unknown_key` for an unknown key anywhere in it, `invalid_document` for an invalid value.
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    name = try object.required("workflow")
    guard Identifier.isDotted(name, words: 2...2) else {
      throw object.invalid("workflow", "\(Quoted(name)) is not a record type", hint: "write app.type")
    }
    version = try object.required("version")
    guard VersionNumber.range.contains(version) else {
      throw object.invalid("version", "the version of \(name) must be \(VersionNumber.words)")
    }
    stateField = try object.value("state_field", default: "status")
    initial = try object.required("initial")
    states = try object.named("states")
    transitions = try object.named("transitions")
    edit = try object.value("edit", default: [])
    migrate = try object.optional("migrate", as: StateMappings.self)?.mappings ?? []
    tests = try object.value("tests", default: [])
  }

  /// Encodes the definition. States and transitions become arrays, because `jsonb` does not keep the order of
  /// keys.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .workflow)
    try container.encode(version, forKey: .version)
    try container.encode(stateField, forKey: .stateField)
    try container.encode(initial, forKey: .initial)
    try container.encode(states, forKey: .states)
    try container.encode(transitions, forKey: .transitions)
    if !edit.isEmpty { try container.encode(edit, forKey: .edit) }
    if !migrate.isEmpty { try container.encode(StateMappings(mappings: migrate), forKey: .migrate) }
    if !tests.isEmpty { try container.encode(tests, forKey: .tests) }
  }
}
