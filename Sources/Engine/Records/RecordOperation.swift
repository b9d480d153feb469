package import Domain
package import FoundationEssentials

/// One operation of a batch on one record.
package enum RecordOperation: Sendable {
  /// Creates a record. The caller chooses the id, so that later operations can refer to it.
  case create(type: String, id: UUID, fields: JSONObject)
  /// Changes fields; refused as `stale` if the record has another version.
  case update(type: String, id: UUID, fields: JSONObject, version: Int64? = nil)
  /// Applies a transition.
  case transition(type: String, id: UUID, request: TransitionRequest)

  /// Deletes a record and those that its references cascade to.
  case delete(type: String, id: UUID, version: Int64? = nil, comment: String? = nil)
  /// Restores a deleted record.
  case restore(type: String, id: UUID)

  /// The record that the operation changes.
  var subject: (type: String, id: UUID) {
    switch self {
    case .create(let type, let id, _), .update(let type, let id, _, _), .transition(let type, let id, _),
      .delete(let type, let id, _, _), .restore(let type, let id):
      (type, id)
    }
  }

  /// The fields that the operation writes.
  var fields: JSONObject {
    switch self {
    case .create(_, _, let fields), .update(_, _, let fields, _): fields
    case .transition(_, _, let request): request.fields
    case .delete, .restore: [:]
    }
  }

  /// True if the operation creates the record.
  var isCreation: Bool {
    if case .create = self { true } else { false }
  }

  /// True if the operation also locks the record's references, which only the stored record contains.
  var locksReferences: Bool {
    switch self {
    case .delete, .restore: true
    default: false
    }
  }
}
