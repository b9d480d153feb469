internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A change of a push, prepared as far as possible without the database.
struct SyncChange {
  /// The way in which a change is applied.
  enum Way {
    /// Together with others of its wave.
    case creation(RecordCreation)
    case edit(RecordEdit)
    case transition(TransitionRequest, BulkNeeds)
    /// By statements of its own, because its follow-ups concern other records.
    case alone
    /// Not at all.
    case refused(DomainError)
  }

  let mutation: SyncMutation
  /// The type, under the workflow that the company follows; nil if it is unknown.
  let type: RecordType?
  let way: Way
  /// True if the table does not hold what decides the change, or a rule reads the whole record.
  let readsView: Bool

  /// True if the change creates a record.
  var isCreation: Bool { if case .create = mutation.operation { true } else { false } }

  /// True if the change is applied by statements of its own.
  var isAlone: Bool { if case .alone = way { true } else { false } }

  /// The records that the change refers to, with true for those that it locks against the creation of other children.
  func parents(_ records: Records) -> (parents: [Parent], isStrong: Bool) {
    switch way {
    case .creation(let creation): return (creation.parents, creation.rule?.locksParents ?? false)
    case .edit(let edit): return (edit.parents, false)
    case .transition, .refused: return ([], false)
    case .alone:
      guard let type else { return ([], false) }
      // A bad reference is named by the judgement.
      let parents = (try? records.parents(of: type, mutation.fields)) ?? []
      return (parents, isCreation && records.rules[type.name]?.locksParents == true)
    }
  }
}
