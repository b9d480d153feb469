/// The rules for creating, editing and deleting records of a type. They are checked in the same order as
/// those of the workflow kernel.
package struct RecordRules: Sendable {
  /// The record type.
  package let type: RecordTypeDefinition
  /// The type's workflow; nil if it has none. Columns that its transitions set cannot be edited.
  package let workflow: WorkflowDefinition?
  /// The edit rules that apply: the type's, or the workflow's if the type has none.
  package let editRules: [EditRule]
  /// The columns that members may edit, if an edit rule permits it.
  package let editable: Set<String>
  /// The columns that members may write at creation.
  private let creatable: Set<String>

  /// Creates the rules of a type.
  package init(_ type: RecordTypeDefinition, workflow: WorkflowDefinition?) {
    self.type = type
    self.workflow = workflow
    editRules = type.edit.isEmpty ? workflow?.edit ?? [] : type.edit
    let set = workflow?.columnsSet ?? []
    editable = Set(type.editable).subtracting(set)
    creatable = Set(type.creatable).subtracting(set)
  }

  /// Checks the creation of a record.
  ///
  /// - Throws: the error of ``CompanyStatus/require(_:)``, `forbidden`, `unknown_fields` or
  ///   `field_not_editable`.
  package func requireCreate(_ fields: JSONObject, by rights: ActorRights) throws(DomainError) {
    try rights.company.require(.write)
    try requirePermission("create", by: rights, over: nil)
    try requireColumns(
      fields.keys,
      among: creatable.union(engineColumns(for: rights))
    )
  }

  /// Checks an edit.
  ///
  /// Each field requires a rule that permits it, whose permission the actor has, and whose condition holds.
  ///
  /// - Parameter conditions: PostgreSQL's results of the rules' conditions, in the order of the rules; nil is
  ///   SQL's null.
  /// - Throws: `forbidden` if the actor lacks the permission of every rule for a field; `wrong_state` if no
  ///   condition of such a rule holds now; `not_found`, `unknown_fields`, `field_not_editable`, `stale`, or
  ///   the error of ``CompanyStatus/require(_:)``.
  package func requireEdit(
    _ patch: RecordPatch,
    of record: RecordSnapshot,
    by rights: ActorRights,
    conditions: [Bool?] = []
  ) throws(DomainError) {
    try rights.company.require(.write)
    guard record.isVisible else { throw DomainError(.notFound, "there is no such record") }
    let held = editRules.indices.filter { isHeld(editRules[$0], by: rights, over: record) }
    if editRules.isEmpty {
      try requirePermission("update", by: rights, over: record)
    } else if rights.actor.kind != .system, held.isEmpty {
      throw rights.lack(of: permission("update"))
    }
    try requireColumns(patch.fields.keys, among: editable.union(engineColumns(for: rights)))
    try requireVersion(patch.expectedVersion, of: record)
    guard !editRules.isEmpty, rights.actor.kind != .system else { return }
    let never = fields(patch, notOpenedBy: held)
    guard never.isEmpty else {
      throw rights.lack(of: permission("update"), "to edit \(never.joined(separator: ", "))", fields: never)
    }
    let open = held.filter { holds($0, given: conditions) }
    let closed = fields(patch, notOpenedBy: open)
    guard closed.isEmpty, !(patch.fields.isEmpty && open.isEmpty) else {
      throw DomainError(
        .wrongState,
        "in the current status you cannot edit \(closed.isEmpty ? "it" : closed.joined(separator: ", "))",
        hint: "ask a member with \(permission("update"))",
        details: ["status": .string(record.status), "fields": .strings(closed)]
      )
    }
  }

  /// True if the actor can edit at least one field now.
  ///
  /// Decides as ``requireEdit(_:of:by:conditions:)`` does for a patch of each editable field alone, but without an
  /// error per field: every record that is read is asked this.
  package func permitsEdit(
    of record: RecordSnapshot,
    by rights: ActorRights,
    conditions: [Bool?] = []
  ) -> Bool {
    guard !editable.isEmpty, record.isVisible, (try? rights.company.require(.write)) != nil else {
      return false
    }
    guard rights.actor.kind != .system else { return true }
    guard !editRules.isEmpty else { return rights.may(permission("update"), ownedBy: record.owners) }
    return editRules.indices.contains { index in
      isHeld(editRules[index], by: rights, over: record) && holds(index, given: conditions)
        && editRules[index].fields?.contains(where: editable.contains) ?? true
    }
  }

  /// Checks a deletion. With `delete.own`, the condition of a rule for `update.own` must hold.
  ///
  /// - Throws: `not_found`, `forbidden`, `stale`, `wrong_state`, or the error of
  ///   ``CompanyStatus/require(_:)``.
  package func requireDelete(
    _ record: RecordSnapshot,
    expectedVersion: Int64? = nil,
    by rights: ActorRights,
    conditions: [Bool?] = []
  ) throws(DomainError) {
    try requireDeletePermission(record, by: rights)
    try requireVersion(expectedVersion, of: record)
    guard rights.actor.kind != .system, rights.permissions.reach(of: permission("delete")) == .own else {
      return
    }
    let ownRules = editRules.indices.filter {
      editRules[$0].permission(on: type.name) == permission("update").own
    }
    guard ownRules.isEmpty || ownRules.contains(where: { holds($0, given: conditions) }) else {
      throw DomainError(
        .wrongState,
        "in the current status you cannot delete your own record",
        hint: "ask a member with \(permission("delete"))",
        details: ["status": .string(record.status)]
      )
    }
  }

  /// Checks what comes before the state of a record that is deleted or restored.
  ///
  /// - Throws: `not_found`, `forbidden`, or the error of ``CompanyStatus/require(_:)``.
  package func requireDeletePermission(
    _ record: RecordSnapshot,
    by rights: ActorRights
  ) throws(DomainError) {
    try rights.company.require(.write)
    guard record.isVisible else { throw DomainError(.notFound, "there is no such record") }
    try requirePermission("delete", by: rights, over: record)
  }

  /// Returns the columns that the engine's jobs may write in addition, such as the next due date of a plan.
  private func engineColumns(for rights: ActorRights) -> Set<String> {
    rights.actor.kind == .system ? Set(type.engine) : []
  }

  /// True if the actor has the permission of a rule.
  ///
  /// If the type has a separate rule for own records, the rule for all records applies only to members who
  /// hold the permission for all records.
  private func isHeld(_ rule: EditRule, by rights: ActorRights, over record: RecordSnapshot) -> Bool {
    let permission = rule.permission(on: type.name)
    let hasOwnRule = editRules.contains { $0.permission(on: type.name) == permission.own }
    if !permission.isOwn, hasOwnRule { return rights.permissions.contains(permission) }
    return rights.may(permission, ownedBy: record.owners)
  }

  private func permission(_ verb: String) -> Permission { Permission(trusted: "\(type.name).\(verb)") }

  private func fields(_ patch: RecordPatch, notOpenedBy rules: [Int]) -> [String] {
    patch.fields.keys.filter { field in !rules.contains { editRules[$0].fields?.contains(field) ?? true } }
  }

  private func requirePermission(
    _ verb: String,
    by rights: ActorRights,
    over record: RecordSnapshot?
  ) throws(DomainError) {
    if rights.actor.kind == .system || rights.may(permission(verb), ownedBy: record?.owners ?? []) { return }
    throw rights.lack(of: permission(verb))
  }

  private func requireVersion(_ expected: Int64?, of record: RecordSnapshot) throws(DomainError) {
    guard let expected, expected != record.version else { return }
    throw DomainError(
      .stale,
      "the record is at version \(record.version), not \(expected)",
      details: ["expected": .integer(expected), "version": .integer(record.version)]
    )
  }

  private func holds(_ index: Int, given conditions: [Bool?]) -> Bool {
    editRules[index].when == nil || index < conditions.count && conditions[index] == true
  }

  private func requireColumns(_ given: [String], among allowed: Set<String>) throws(DomainError) {
    guard !allowed.isSuperset(of: given) else { return }
    let engine = Set(RecordTypeDefinition.baseColumns + type.engine + ["status", "status_category"])
      .union(workflow?.columnsSet ?? [])
    let known = allowed.union(type.creatable).union(engine)
    let unknown = given.filter { !known.contains($0) }
    guard unknown.isEmpty else {
      let meant = unknown.first.flatMap { Suggestion.closest(to: $0, among: allowed.sorted()) }
      throw DomainError(
        .unknownFields,
        "\(type.label) has no \(unknown.map { Quoted($0).description }.joined(separator: ", "))",
        hint: meant.map { "did you mean \($0)?" } ?? "use only: \(allowed.sorted().joined(separator: ", "))",
        details: ["fields": .strings(unknown)]
      )
    }
    let closed = given.filter { !allowed.contains($0) }
    guard closed.isEmpty else {
      let isStatus = closed.contains("status")
      throw DomainError(
        .fieldNotEditable,
        "\(closed.joined(separator: ", ")) cannot be written",
        hint: isStatus ? "use a transition of the record instead" : nil,
        details: ["fields": .strings(closed)]
      )
    }
  }
}
