/// The record types of a database as provisioning sees them: who is called how, and what refers to what.
package struct ProvisionedTypes: Sendable {
  /// One type and the workflow on its status.
  package struct Entry: Sendable {
    package let definition: RecordTypeDefinition
    package let workflow: WorkflowDefinition?

    package init(definition: RecordTypeDefinition, workflow: WorkflowDefinition?) {
      self.definition = definition
      self.workflow = workflow
    }

    /// The columns that a file may give: what a creation may, but for files, which a text cannot hold.
    package var columns: [String] {
      let set = workflow?.columnsSet ?? []
      return definition.creatable.filter { column in
        !set.contains(column) && reference(column)?.target != "core.attachment"
      }
    }

    /// What a column is called in a file: `machine` for `machine_id`.
    package func title(of column: String) -> String {
      reference(column) != nil && column.hasSuffix("_id") ? String(column.dropLast(3)) : column
    }

    /// The reference in a column, if it is one.
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

  /// The types whose records a file can hold: company-wide ones with a key.
  package var provisionable: [String] { entries.keys.filter { fault(of: $0) == nil }.sorted() }

  /// The type of a section.
  ///
  /// - Throws: `unknown_type` with the closest one, `invalid_input` for a type whose records cannot be provisioned.
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

  /// How many columns the key of a type has.
  func keyCount(_ type: String) -> Int { max(1, entries[type]?.definition.key.count ?? 1) }

  /// Whether records that refer to one of the type keep it from being deleted.
  func isHeld(_ type: String) -> Bool {
    entries.values.contains { entry in
      entry.definition.references.contains { $0.target == type && $0.onDelete == .restrict }
    }
  }

  /// These types and those that they refer to, each after what it refers to.
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
    if definition.scope == .owner { return "its records are private to whoever made them" }
    if definition.key.isEmpty { return "people have no key to call its records by" }
    if definition.sync == .appendOnly { return "its records are only ever added" }
    return nil
  }
}
