internal import Domain
package import FoundationEssentials
package import Postgres
internal import Store

/// Finds the owner of a private record from history by an entry function. Jobs need this, because they know
/// only the record's id, and the record and its history are visible only to its owner.
package enum RecordOwner {
  /// Returns the member that a record of the transaction's company was last transferred to, otherwise its
  /// creator; nil without history.
  package static func find(type: String, id: UUID, _ tx: Transaction) throws -> UUID? {
    try tx.value("select core.record_owner(\(type), \(id))", as: UUID?.self)
  }
}
