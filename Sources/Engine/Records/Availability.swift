internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// What somebody may do with records of a type: the transitions that would succeed, and the actions that every
/// record has.
///
/// Law: it names an action exactly when the command, given satisfying input, succeeds. So it asks the very
/// functions that the commands ask.
struct Availability {
  /// What every record has besides its transitions.
  enum Action: String, CaseIterable {
    case update, delete, restore, comment
  }

  /// The type, under the workflow that its company follows.
  let type: RecordType
  private let rights: ActorRights
  private let rules: RecordRules
  /// Whether it is worth asking what stands in the way of a deletion.
  let mayDelete: Bool
  /// Whether the company has what the type takes; without it nothing can be edited.
  private let isEntitled: Bool

  init(_ type: RecordType, rights: Rights, acting: ActingContext, _ tx: Transaction) throws {
    self.type = type
    isEntitled =
      try type.definition.entitlement.map {
        try tx.value(EntitlementStore.holds($0, company: acting.company.id, user: acting.user), as: Bool.self)
      } ?? true
    self.rights = rights.kernel(acting, type)
    mayDelete = rights.holds("\(type.name).delete.own")
    rules = RecordRules(type.definition, workflow: type.workflow)
  }

  /// What PostgreSQL is asked about a record: the guards of the transitions, then the conditions of the edit rules.
  var paths: [String] { type.guardPaths + rules.editRules.map { $0.when ?? "true" } }

  /// The names of what may be done now.
  ///
  /// - Parameters:
  ///   - answers: what PostgreSQL said to ``paths``.
  ///   - isReferenced: whether records refer to it that restrict its deletion.
  func allowed(on document: JSONObject, answers: [Bool?], isReferenced: Bool) -> [String] {
    let snapshot = RecordSnapshot(document, of: type, answers: answers)
    let conditions = Array(answers.dropFirst(type.guardPaths.count))
    var names: [String] = []
    if let workflow = type.workflow {
      names = Kernel.available(on: snapshot, by: rights, under: workflow).map(\.name)
    }
    if canEdit(snapshot, conditions) { names.append(Action.update.rawValue) }
    if !isReferenced, canDelete(snapshot, conditions) { names.append(Action.delete.rawValue) }
    if (try? rights.company.require(.write)) != nil { names.append(Action.comment.rawValue) }
    return names
  }

  /// The same of a tombstone; one whose parent is deleted too has to wait for that.
  func allowed(onDeleted document: JSONObject, answers: [Bool?], isOrphan: Bool) -> [String] {
    guard !isOrphan else { return [] }
    let snapshot = RecordSnapshot(document, of: type, answers: answers)
    let conditions = Array(answers.dropFirst(type.guardPaths.count))
    return canDelete(snapshot, conditions) ? [Action.restore.rawValue] : []
  }

  /// Some field can be edited; a refusal is the answer, so what it says does not matter.
  private func canEdit(_ snapshot: RecordSnapshot, _ conditions: [Bool?]) -> Bool {
    isEntitled
      && rules.editable.contains { field in
        let patch = RecordPatch([field: .null])
        return (try? rules.requireEdit(patch, of: snapshot, by: rights, conditions: conditions)) != nil
      }
  }

  private func canDelete(_ snapshot: RecordSnapshot, _ conditions: [Bool?]) -> Bool {
    (try? rules.requireDelete(snapshot, by: rights, conditions: conditions)) != nil
  }
}

extension RecordSnapshot {
  /// A record that was read and is visible, from its view's row and the answers to the guards.
  init(_ document: JSONObject, of type: RecordType, answers: [Bool?]) {
    self.init(
      status: document["status"]?.string ?? "",
      version: document["version"]?.number?.integer ?? 0,
      owners: type.ownerColumns.compactMap { document[$0]?.string.flatMap(UUID.init(uuidString:)) },
      fields: document,
      guards: RecordReading.byTransition(type, answers)
    )
  }
}
