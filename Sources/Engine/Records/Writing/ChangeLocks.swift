internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The rows that some changes lock: those that they write, and those that they refer to.
///
/// A type has one strength. With two, two statements would lock its rows, and two writers could each hold a row that the
/// other's second statement waits for.
struct ChangeLocks {
  /// The rows of one type.
  struct Rows {
    let type: RecordType
    var ids: [UUID] = []
    /// True to lock against all other writers; false to lock against changes only, as parents.
    var isStrong = false
  }

  /// The rows by type, in the order in which all writers lock.
  let rows: [Rows]

  /// - Parameter references: further rows that deletions and restorations refer to.
  init(_ changes: [RecordChange], references: [Parent] = [], _ records: Records) {
    var found: [String: Rows] = [:]
    func add(_ type: RecordType, _ id: UUID, isStrong: Bool) {
      found[type.name, default: Rows(type: type)].ids.append(id)
      if isStrong { found[type.name]?.isStrong = true }
    }
    for change in changes {
      guard let type = change.type else { continue }
      if !change.isCreation { add(type, change.id, isStrong: true) }
      let (parents, isStrong) = change.parents(records)
      for parent in parents { add(parent.type, parent.id, isStrong: isStrong) }
    }
    for parent in references { add(parent.type, parent.id, isStrong: false) }
    rows = found.values.sorted { $0.type.name < $1.type.name }.map { rows in
      var rows = rows
      rows.ids = rows.ids.inLockOrder
      return rows
    }
  }
}
