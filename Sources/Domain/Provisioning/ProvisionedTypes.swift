/// The record types that are installed in a database.
package struct ProvisionedTypes: Sendable {
  /// A record type and its workflow.
  package struct Entry: Sendable {
    package let definition: RecordTypeDefinition
    package let workflow: WorkflowDefinition?
    /// True if the database rejects two live records with the same key.
    package let isUnique: Bool

    package init(definition: RecordTypeDefinition, workflow: WorkflowDefinition?, isUnique: Bool = true) {
      self.definition = definition
      self.workflow = workflow
      self.isUnique = isUnique
    }

    /// The columns that a file may set: those that can be written at creation, except attachments and the
    /// columns that transitions set.
    package var columns: [String] {
      let set = workflow?.columnsSet ?? []
      return definition.creatable.filter { column in
        !set.contains(column) && reference(column)?.target != "core.attachment"
      }
    }

    /// Returns the name of a column in a file: a reference loses its `_id`, so `machine_id` becomes
    /// `machine`.
    package func title(of column: String) -> String {
      reference(column) != nil && column.hasSuffix("_id") ? String(column.dropLast(3)) : column
    }

    /// Returns the reference of a column; nil if the column is not a reference.
    package func reference(_ column: String) -> RecordReference? {
      definition.references.first { $0.column == column }
    }
  }

  private let entries: [String: Entry]

  package init(_ entries: [Entry]) {
    self.entries = Dictionary(
      entries.map { ($0.definition.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The types whose records a file can contain: not private to members, not append-only, and with a key.
  package var provisionable: [String] { entries.keys.filter { fault(of: $0) == nil }.sorted() }

  /// The types whose title is part of their key, such as machines. Work orders are not among them.
  package var named: [String] {
    provisionable.filter { name in
      entries[name].map { $0.definition.key.contains($0.definition.titleField) } ?? false
    }
  }

  /// Requires that a type exists, provisionable or not.
  ///
  /// - Throws: `unknown_type` with the closest name as a hint.
  func requireKnown(_ name: String, at path: String) throws {
    guard entries[name] == nil else { return }
    throw unknown(name, among: entries.keys.sorted()).standing(at: path)
  }

  /// Requires that a type exists and has a workflow.
  ///
  /// - Throws: `unknown_type` otherwise, with the closest name as a hint.
  func requireWorkflow(_ name: String, at path: String) throws {
    guard entries[name]?.workflow == nil else { return }
    let names = entries.filter { $0.value.workflow != nil }.keys.sorted()
    guard entries[name] == nil else {
      throw DomainError(
        .invalidInput,
        "records of \(name) have no workflow",
        hint: "use one of: \(names.joined(separator: ", "))"
      ).standing(at: path)
    }
    throw unknown(name, among: names).standing(at: path)
  }

  /// Requires that a type exists and that its records have numbers.
  ///
  /// - Throws: `unknown_type` with the closest name as a hint; `invalid_input` for a type without numbers.
  func requireNumbers(_ name: String, at path: String) throws {
    guard entries[name]?.definition.number == nil else { return }
    let names = entries.filter { $0.value.definition.number != nil }.keys.sorted()
    guard entries[name] == nil else {
      throw DomainError(
        .invalidInput,
        "records of \(name) have no numbers",
        hint: "use one of: \(names.joined(separator: ", "))"
      ).standing(at: path)
    }
    throw unknown(name, among: names).standing(at: path)
  }

  private func unknown(_ name: String, among names: [String]) -> DomainError {
    let closest = Suggestion.closest(to: name, among: names)
    return DomainError(
      .unknownType,
      "there is no such record type: \(Quoted(name))",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(names.joined(separator: ", "))"
    )
  }

  /// Returns a type whose records can be provisioned.
  ///
  /// - Throws: `unknown_type` with the closest name as a hint; `invalid_input` for a type whose records
  ///   cannot be provisioned.
  package func type(_ name: String, at path: String = "") throws -> Entry {
    guard let entry = entries[name] else {
      let closest = Suggestion.closest(to: name, among: provisionable)
      throw DomainError(
        .unknownType,
        "there is no record type \(Quoted(name))",
        hint: closest.map { "did you mean \($0)?" }
      ).standing(at: path)
    }
    if let fault = fault(of: name) {
      throw DomainError(
        .invalidInput,
        "\(name) cannot be provisioned: \(fault)",
        hint: "use one of: \(provisionable.joined(separator: ", "))"
      ).standing(at: path)
    }
    return entry
  }

  /// Returns the number of columns in the key of a type, at least 1.
  func keyCount(_ type: String) -> Int { max(1, entries[type]?.definition.key.count ?? 1) }

  /// True if a reference to a record of the type can prevent its deletion.
  func isHeld(_ type: String) -> Bool {
    entries.values.contains { entry in
      entry.definition.references.contains { $0.target == type && $0.onDelete == .restrict }
    }
  }

  /// Returns these types and the types that they refer to, each after the types that it refers to.
  package func ordered(_ types: some Sequence<String>) -> [String] {
    var result: [String] = []
    var visiting: Set<String> = []
    func visit(_ name: String) {
      guard let entry = entries[name], fault(of: name) == nil, visiting.insert(name).inserted else { return }
      for column in entry.columns {
        if let target = entry.reference(column)?.target { visit(target) }
      }
      result.append(name)
    }
    for name in types.sorted() { visit(name) }
    return result
  }

  /// Returns the reason why a file cannot contain the records of a type; nil if it can.
  package func fault(of name: String) -> String? {
    guard let definition = entries[name]?.definition else { return "no such type" }
    if definition.scope == .owner { return "its records are private to a member" }
    if definition.key.isEmpty { return "its records have no key" }
    if definition.sync == .appendOnly { return "its records are append-only" }
    return nil
  }
}
