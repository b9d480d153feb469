internal import GRDB
internal import SyncProtocol

/// Changes of an old device, under whose id another phone sends changes.
extension Outbox {
  /// Gives a change to this device. It was never applied.
  ///
  /// A refusal under the old number is given up on the server, where nobody will send the change again.
  ///
  /// - Parameter no: a number that no change has; nil for the next one.
  func move(_ row: ChangeRow, to no: Int64? = nil) throws {
    try db.execute(
      literal: """
        update change set device = \(try cursors.device), no = \(try no ?? cursors.takeNo()), document = null,
          result = null, code = null, answer = null, asks_retry = 0, told = null
        where device = \(row.device) and no = \(row.no)
        """
    )
    guard row.result != nil else { return }
    try db.execute(
      literal: """
        insert into change (device, no, type, id, op, base_version, made_at, status, result, decision)
        values (\(row.device), \(row.no), \(row.type), \(row.id), \(row.operation.rawValue), \(row.baseVersion),
          \(row.madeAt), \(SyncStatus.failed.rawValue), \(row.result?.rawValue), \(SyncResolution.discard.rawValue))
        """
    )
  }

  /// Gives this device a refused change that a person wants to send again.
  ///
  /// Later changes of the record that were not sent pass their numbers on, so that the numbers keep the order in which the
  /// changes were made.
  func adopt(_ row: ChangeRow) throws {
    let later = try rows(
      "type = ? and id = ? and device = ? and status = 'pending' and document is null and rowid > ?",
      [row.type, row.id, cursors.device, row.place]
    )
    let nos = later.map(\.no) + [try cursors.takeNo()]
    // The last one first, so that no two have a number at once.
    for (other, no) in zip(later, nos.dropFirst()).reversed() {
      try db.execute(
        literal:
          "update change set no = \(no), told = null where device = \(other.device) and no = \(other.no)"
      )
    }
    try move(row, to: nos[0])
  }
}
