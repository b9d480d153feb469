/// The record types of a database: their keys and their references.
package struct ProvisionedTypes: Sendable {
  /// A type and its workflow.
  package struct Entry: Sendable {
    package let definition: RecordTypeDefinition
    package let workflow: WorkflowDefinition?
    /// True if the database refuses a second live record with the same key.
    package let isUnique: Bool

    package init(definition: RecordTypeDefinition, workflow: WorkflowDefinition?, isUnique: Bool = true) {
      self.definition = definition
      self.workflow = workflow
      self.isUnique = isUnique
    }

    /// The columns that a file may set: those of a creation without attachments.
    package var columns: [String] {
      let set = workflow?.columnsSet ?? []
      return definition.creatable.filter { column in
        !set.contains(column) && reference(column)?.target != "core.attachment"
      }
    }

    /// Returns the name of a column in a file: `machine` for `machine_id`.
    package func title(of column: String) -> String {
      reference(column) != nil && column.hasSuffix("_id") ? String(column.dropLast(3)) : column
    }

    /// Returns the reference of a column; nil for a plain value.
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

  /// The types that a file can contain records of: company-wide ones with a key.
  package var provisionable: [String] { entries.keys.filter { fault(of: $0) == nil }.sorted() }

  /// The types whose records have a name, which is their title and part of their key: machines, but not work
  /// orders.
  package var named: [String] {
    provisionable.filter { name in
      entries[name].map { $0.definition.key.contains($0.definition.titleField) } ?? false
    }
  }

  /// Requires that a type exists, provisionable or not.
  ///
  /// - Throws: `unknown_type` with the closest one.
  func requireKnown(_ name: String, at path: String) throws {
    guard entries[name] == nil else { return }
    throw unknown(name, among: entries.keys.sorted()).standing(at: path)
  }

  /// Requires that a type exists and has a workflow.
  ///
  /// - Throws: `unknown_type` with the closest one.
  func requireWorkflow(_ name: String, at path: String) throws {
    guard entries[name]?.workflow == nil else { return }
    throw unknown(name, among: entries.filter { $0.value.workflow != nil }.keys.sorted()).standing(at: path)
  }

  /// Requires that a type exists and has numbers.
  ///
  /// - Throws: `unknown_type` with the closest one.
  func requireNumbers(_ name: String, at path: String) throws {
    guard entries[name]?.definition.number == nil else { return }
    let names = entries.filter { $0.value.definition.number != nil }.keys.sorted()
    guard entries[name] == nil else {
      throw DomainError(
        .invalidInput,
        "records of \(name) have no numbers",
        hint: "types with numbers: \(names.joined(separator: ", "))"
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

  /// Returns the type of a section.
  ///
  /// - Throws: `unknown_type` with the closest one, `invalid_input` for a type whose records cannot be
  ///   provisioned.
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
        hint: "there are: \(provisionable.joined(separator: ", "))"
      ).standing(at: path)
    }
    return entry
  }

  /// Returns the number of columns in the key of a type.
  func keyCount(_ type: String) -> Int { max(1, entries[type]?.definition.key.count ?? 1) }

  /// True if references can prevent the deletion of a record of the type.
  func isHeld(_ type: String) -> Bool {
    entries.values.contains { entry in
      entry.definition.references.contains { $0.target == type && $0.onDelete == .restrict }
    }
  }

  /// Returns these types and those that they refer to, each after its targets.
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

  private func fault(of name: String) -> String? {
    guard let definition = entries[name]?.definition else { return "no such type" }
    if definition.scope == .owner { return "its records are private to a member" }
    if definition.key.isEmpty { return "its records have no key" }
    if definition.sync == .appendOnly { return "its records are append-only" }
    return nil
  }
}
