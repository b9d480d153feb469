internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The transitions and actions that an actor can take on records of a type.
///
/// Invariant: an action is listed if and only if the command, given valid input, succeeds. Availability
/// therefore calls the same functions as the commands.
struct Availability {
  /// The actions that every record has besides its transitions.
  enum Action: String, CaseIterable {
    case update, delete, restore, comment
  }

  /// The type, under the workflow that its company follows.
  let type: RecordType
  private let rights: ActorRights
  private let rules: RecordRules
  /// True if the actor holds a permission to delete. Only then do references to the record matter.
  let mayDelete: Bool
  /// True if the company has the entitlement that the type requires; without it nothing can be edited.
  let isEntitled: Bool

  /// - Parameter isEntitled: the result of ``entitlement(of:_:)``.
  init(_ type: RecordType, rights: Rights, acting: ActingContext, isEntitled: Bool) {
    self.type = type
    self.isEntitled = isEntitled
    self.rights = rights.kernel(acting, type)
    mayDelete = rights.holds("\(type.name).delete.own")
    rules = RecordRules(type.definition, workflow: type.workflow)
  }

  /// Returns the query for the entitlement that a type requires; nil if it requires none.
  static func entitlement(of type: RecordType, _ acting: ActingContext) -> SQL? {
    type.definition.entitlement.map {
      EntitlementStore.holds($0, company: acting.company.id, user: acting.user)
    }
  }

  /// The predicates over a record: the guards of the transitions, then the conditions of the edit rules.
  static func paths(of type: RecordType) -> [String] {
    type.guardPaths
      + RecordRules(type.definition, workflow: type.workflow).editRules.map { $0.when ?? "true" }
  }

  /// The predicates over a record of this type.
  var paths: [String] { Self.paths(of: type) }

  /// Returns the names of the transitions and actions that are possible now.
  ///
  /// - Parameters:
  ///   - answers: PostgreSQL's results for ``paths``.
  ///   - isReferenced: true if references to the record restrict its deletion.
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

  /// Returns the actions on a tombstone. A record whose parent is deleted cannot be restored before the
  /// parent.
  func allowed(onDeleted document: JSONObject, answers: [Bool?], isOrphan: Bool) -> [String] {
    guard !isOrphan else { return [] }
    let snapshot = RecordSnapshot(document, of: type, answers: answers)
    let conditions = Array(answers.dropFirst(type.guardPaths.count))
    return canDelete(snapshot, conditions) ? [Action.restore.rawValue] : []
  }

  /// True if at least one field can be edited.
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
  /// A record that was read and is visible: its view's row and the results of the guards.
  init(_ document: JSONObject, of type: RecordType, answers: [Bool?]) {
    self.init(
      status: document["status"]?.string ?? "",
      version: document["version"]?.number?.integer ?? 0,
      owners: type.owners(of: document),
      fields: document,
      guards: RecordReading.byTransition(type, answers)
    )
  }
}
