package import Domain
package import FoundationEssentials

/// One operation of a batch on one record.
package enum RecordOperation: Sendable {
  /// Creates a record. The caller chooses the id, so that later operations can refer to it.
  case create(type: String, id: UUID, fields: JSONObject)
  /// Changes fields. Refused as `stale` if `version` is not the record's version; nil skips the check.
  case update(type: String, id: UUID, fields: JSONObject, version: Int64? = nil)
  /// Applies a transition.
  case transition(type: String, id: UUID, request: TransitionRequest)

  /// Deletes a record and the records that cascade from it.
  case delete(type: String, id: UUID, version: Int64? = nil, comment: String? = nil)
  /// Restores a deleted record and those deleted with it.
  case restore(type: String, id: UUID)

  /// The record that the operation changes.
  var subject: (type: String, id: UUID) {
    switch self {
    case .create(let type, let id, _), .update(let type, let id, _, _), .transition(let type, let id, _),
      .delete(let type, let id, _, _), .restore(let type, let id):
      (type, id)
    }
  }

  /// The fields that the caller writes; empty for a deletion or a restoration.
  var fields: JSONObject {
    switch self {
    case .create(_, _, let fields), .update(_, _, let fields, _): fields
    case .transition(_, _, let request): request.fields
    case .delete, .restore: [:]
    }
  }

  /// True for a creation.
  var isCreation: Bool {
    if case .create = self { true } else { false }
  }

  /// True if the operation also locks the parents of the stored record.
  var locksReferences: Bool {
    switch self {
    case .delete, .restore: true
    default: false
    }
  }
}
