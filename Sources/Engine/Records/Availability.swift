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

  /// The type, with the workflow that its company follows.
  let type: RecordType
  private let rights: ActorRights
  private let rules: RecordRules
  /// True if the actor holds a permission to delete. Otherwise nothing checks references to the record.
  let mayDelete: Bool
  private let mayComment: Bool
  /// True if the type requires no entitlement or the actor has it. If false, no field can be edited.
  let isEntitled: Bool

  /// - Parameter isEntitled: the result of the query ``entitlement(of:_:)``; true if there is none.
  init(_ type: RecordType, rights: Rights, acting: ActingContext, isEntitled: Bool) {
    self.type = type
    self.isEntitled = isEntitled
    self.rights = rights.kernel(acting, type)
    mayComment = rights.mayComment
    mayDelete = rights.holds("\(type.name).delete.own")
    rules = type.rules
  }

  /// Returns the query for the entitlement that a type requires; nil if it requires none.
  static func entitlement(of type: RecordType, _ acting: ActingContext) -> SQL? {
    type.definition.entitlement.map {
      EntitlementStore.holds($0, company: acting.company.id, user: acting.user)
    }
  }

  /// Returns the JSON paths to evaluate on a record: the guards of the transitions, then the conditions of
  /// the edit rules.
  static func paths(of type: RecordType) -> [String] {
    type.guardPaths
      + type.rules.editRules.map { $0.when ?? "true" }
  }

  /// The JSON paths to evaluate on a record of this type, as ``paths(of:)`` returns them.
  var paths: [String] { Self.paths(of: type) }

  /// Returns the names of the transitions and actions that are possible now.
  ///
  /// - Parameters:
  ///   - answers: PostgreSQL's results for ``paths``, in the same order.
  ///   - isReferenced: true if other records refer to the record and block its deletion.
  func allowed(on document: JSONObject, answers: [Bool?], isReferenced: Bool) -> [String] {
    let snapshot = RecordSnapshot(document, of: type, answers: answers)
    let conditions = Array(answers.dropFirst(type.guardPaths.count))
    var names: [String] = []
    if let workflow = type.workflow {
      names = Kernel.available(on: snapshot, by: rights, under: workflow).map(\.name)
    }
    if canEdit(snapshot, conditions) { names.append(Action.update.rawValue) }
    if !isReferenced, canDelete(snapshot, conditions) { names.append(Action.delete.rawValue) }
    if mayComment { names.append(Action.comment.rawValue) }
    return names
  }

  /// Returns the actions on a tombstone.
  ///
  /// - Parameter isOrphan: true if a parent is deleted too, so that the record cannot be restored before it.
  func allowed(onDeleted document: JSONObject, answers: [Bool?], isOrphan: Bool) -> [String] {
    guard !isOrphan else { return [] }
    let snapshot = RecordSnapshot(document, of: type, answers: answers)
    let conditions = Array(answers.dropFirst(type.guardPaths.count))
    return canDelete(snapshot, conditions) ? [Action.restore.rawValue] : []
  }

  /// True if the actor may add a file to a record, which asks for the right to edit it.
  func mayAttach(to document: JSONObject, answers: [Bool?]) -> Bool {
    let snapshot = RecordSnapshot(document, of: type, answers: answers)
    let conditions = Array(answers.dropFirst(type.guardPaths.count))
    return (try? rules.requireEdit(RecordPatch([:]), of: snapshot, by: rights, conditions: conditions)) != nil
  }

  /// True if at least one field can be edited.
  private func canEdit(_ snapshot: RecordSnapshot, _ conditions: [Bool?]) -> Bool {
    isEntitled && rules.permitsEdit(of: snapshot, by: rights, conditions: conditions)
  }

  private func canDelete(_ snapshot: RecordSnapshot, _ conditions: [Bool?]) -> Bool {
    (try? rules.requireDelete(snapshot, by: rights, conditions: conditions)) != nil
  }
}

extension RecordSnapshot {
  /// Creates the snapshot of a record that is visible to the actor, from its view's row and the results of
  /// the guards.
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
