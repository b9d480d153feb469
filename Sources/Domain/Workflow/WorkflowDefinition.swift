/// A flat state machine on one column of one record type, as defined in YAML.
///
/// Decoding checks only the form; ``validate(in:)`` checks the meaning. States and transitions keep the order
/// of the file, which is their display order.
package struct WorkflowDefinition: Sendable, Hashable {
  /// The record type it governs, such as `maintenance.entry`.
  package let name: String
  /// The version, raised with every activated change.
  package let version: Int
  /// The column that holds the state.
  package let stateField: String
  /// The state of a new record.
  package let initial: String
  /// The states in file order.
  package let states: [WorkflowState]
  /// The transitions in file order.
  package let transitions: [WorkflowTransition]
  /// The edit rules by state; if empty, those of the record type.
  package let edit: [EditRule]
  /// The mapping of states that this version drops.
  package let migrate: [StateMapping]
  /// Test sequences with expected results.
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

  /// Returns the state of a name.
  package func state(_ name: String) -> WorkflowState? { states.first { $0.name == name } }

  /// Returns the transition of a name.
  package func transition(_ name: String) -> WorkflowTransition? { transitions.first { $0.name == name } }

  /// The category of the initial state, for new records.
  package var initialCategory: StateCategory? { state(initial)?.category }

  /// The columns that transitions write, which therefore cannot be edited.
  package var columnsSet: Set<String> { Set(transitions.flatMap { $0.set.map(\.column) }) }

  /// The permissions that its transitions require, in order, without duplicates.
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

  /// Decodes a definition; an unknown key anywhere in it is an error.
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    name = try object.required("workflow")
    guard Identifier.isDotted(name, words: 2...2) else {
      throw object.invalid("workflow", "\(Quoted(name)) is not a record type", hint: "Write app.type.")
    }
    version = try object.required("version")
    guard version >= 1 else { throw object.invalid("version", "The version of \(name) is not 1 or more") }
    stateField = try object.value("state_field", default: "status")
    initial = try object.required("initial")
    states = try object.named("states")
    transitions = try object.named("transitions")
    edit = try object.value("edit", default: [])
    migrate = try object.optional("migrate", as: StateMappings.self)?.mappings ?? []
    tests = try object.value("tests", default: [])
  }

  /// Encodes states and transitions as arrays, whose order survives `jsonb`.
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
