package import Domain
package import FoundationEssentials

/// One thing to be done to one record, of several that are done together.
package enum RecordOperation: Sendable {
  /// Makes a record; the id is the caller's, so that later operations can refer to it.
  case create(type: String, id: UUID, fields: JSONObject)
  /// Changes fields; a version other than the one given is refused as `stale`.
  case update(type: String, id: UUID, fields: JSONObject, version: Int64? = nil)
  /// Takes a record through a transition.
  case transition(type: String, id: UUID, request: TransitionRequest)

  /// Makes a record a tombstone, and those that go with it.
  case delete(type: String, id: UUID, version: Int64? = nil, comment: String? = nil)
  /// Makes a tombstone a record again.
  case restore(type: String, id: UUID)

  /// The record it is about.
  var subject: (type: String, id: UUID) {
    switch self {
    case .create(let type, let id, _), .update(let type, let id, _, _), .transition(let type, let id, _),
      .delete(let type, let id, _, _), .restore(let type, let id):
      (type, id)
    }
  }

  /// The fields it writes.
  var fields: JSONObject {
    switch self {
    case .create(_, _, let fields), .update(_, _, let fields, _): fields
    case .transition(_, _, let request): request.fields
    case .delete, .restore: [:]
    }
  }

  /// Whether it makes the record.
  var isCreation: Bool {
    if case .create = self { true } else { false }
  }

  /// Whether it also locks what the record refers to, which only the record itself can tell.
  var locksReferences: Bool {
    switch self {
    case .delete, .restore: true
    default: false
    }
  }
}
