internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// One of the changes that are applied together.
struct ChangeRequest {
  /// Identifies the change among the others, and is its place in their order.
  let no: Int64
  let operation: RecordOperation
  /// The version of the record that a device knew; nil for other writers.
  var base: Int64?
  /// The device that made the change; nil for other writers.
  var origin: RecordOrigin?
  /// True if the record comes from another system, where it had its follow-ups.
  var isImported = false
}

/// A change, prepared as far as possible without the database.
struct RecordChange {
  /// The way in which a change is applied.
  enum Way {
    case creation(RecordCreation)
    case edit(RecordEdit)
    case transition(TransitionRequest, TransitionNeeds)
    /// By statements of its own: a deletion, a restoration or a file.
    case other
    /// Not at all.
    case refused(DomainError)
  }

  let request: ChangeRequest
  /// The type, under the workflow that the company follows; nil if it is unknown.
  let type: RecordType?
  let way: Way
  /// True if the table does not hold what decides the change, or a rule reads the whole record.
  let readsView: Bool

  var no: Int64 { request.no }

  var operation: RecordOperation { request.operation }

  /// The id of the record.
  var id: UUID { operation.subject.id }

  var key: ChangeKey { ChangeKey(operation.subject.type, operation.subject.id) }

  /// True if the change creates a record.
  var isCreation: Bool { operation.isCreation }

  /// True if no other change is decided with it, because its follow-ups concern other records.
  var isAlone: Bool {
    switch way {
    case .creation(let creation): creation.hooks.fires
    case .edit(let edit): edit.hooks.fires
    case .transition(_, let needs): needs.isSingular
    case .other: true
    case .refused: false
    }
  }

  /// The records that the change refers to, with true for those that it locks against the creation of other children.
  func parents(_ records: Records) -> (parents: [Parent], isStrong: Bool) {
    switch way {
    case .creation(let creation): return (creation.parents, creation.rule?.locksParents ?? false)
    case .edit(let edit): return (edit.parents, false)
    case .transition, .other:
      guard let type else { return ([], false) }
      // A bad reference is named by the decision.
      return ((try? records.parents(of: type, operation.fields)) ?? [], false)
    case .refused: return ([], false)
    }
  }
}

/// The decision on a change.
enum ChangeOutcome {
  /// - Parameter isMerge: true if others had changed other columns.
  case applied(RecordAnswer, isMerge: Bool)
  /// The record has the effect already, in this version.
  case done(version: Int64?)
  /// - Parameter version: the record's version, as far as it is known.
  case refused(DomainError, version: Int64?)
}

/// What is decided about a change before the rules for all writers.
enum ChangeRuling {
  /// The rules for all writers decide.
  case proceed(isMerge: Bool)
  /// The record has the effect already, in this version.
  case done(version: Int64)

  /// The columns that others than the device changed since a version, whether all changes since then are known, and
  /// whether any was made by others.
  typealias Changed = (columns: [String], isKnown: Bool, isByOthers: Bool)
}

/// The policy for changes of a writer who did not see the newest version of the records.
protocol ChangePolicy {
  /// The device, whose own changes are no surprise to it.
  var device: UUID { get }

  /// Decides whether a change may be made.
  ///
  /// - Parameters:
  ///   - standing: the record; nil if there is none, or none that the member may see.
  ///   - changed: the columns that changed after a version, if that is not the record's.
  ///   - isSame: true if the record has the values of the creation.
  /// - Throws: an error of the category conflict if a person has to decide.
  func ruling(
    on request: ChangeRequest,
    _ type: RecordType,
    _ standing: RecordStanding?,
    changed: (_ base: Int64) throws -> ChangeRuling.Changed,
    isSame: (JSONObject) throws -> Bool
  ) throws -> ChangeRuling
}
