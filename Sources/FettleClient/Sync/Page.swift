internal import GRDB
internal import SyncProtocol

/// A page of changes of the server.
struct Page: Sendable {
  /// The number and checksum of the member's own records of a type.
  struct Digest: Sendable {
    let type: String
    let count: Int
    let checksum: String
  }

  let changes: [FieldValue]
  let cursor: String
  let hasMore: Bool
  let checkpoint: Int64
  let acknowledged: Int64
  let epoch: String
  let removed: [String]
  let restarted: [String]
  let wanted: [Int64]
  let digests: [Digest]

  init(_ json: FieldValue) throws(ClientError) {
    guard let changes = json["changes"]?.array, let cursor = json["cursor"]?.string,
      let hasMore = json["has_more"]?.bool, let checkpoint = json["checkpoint"]?.integer,
      let acknowledged = json["acked_no"]?.integer, let epoch = json["epoch"]?.string
    else { throw ClientError(.invalidAnswer, "the server's page of changes cannot be understood") }
    self.changes = changes
    self.cursor = cursor
    self.hasMore = hasMore
    self.checkpoint = checkpoint
    self.acknowledged = acknowledged
    self.epoch = epoch
    removed = json["removed_scopes"]?.array?.compactMap(\.string) ?? []
    restarted = json["restarted_scopes"]?.array?.compactMap(\.string) ?? []
    wanted = json["retry"]?.array?.compactMap(\.integer) ?? []
    digests = (json["own"]?.array ?? []).compactMap { digest in
      guard let type = digest["type"]?.string, let count = digest["count"]?.integer else { return nil }
      return Digest(type: type, count: Int(count), checksum: digest["checksum"]?.string ?? "")
    }
  }

  /// True if there is nothing that a device has to do about the page.
  var isEmpty: Bool { changes.isEmpty && removed.isEmpty && restarted.isEmpty && wanted.isEmpty && !hasMore }

  /// Applies the page, and moves the cursor, in the caller's transaction.
  ///
  /// - Parameter asked: the cursor with which the page was asked for. A page that comes too late is ignored.
  /// - Returns: the digests that do not fit the store; nil if the page was ignored.
  func apply(asked: String?, _ db: Database) throws -> [Digest]? {
    let (cursors, shadow) = (Cursors(db), Shadow(db))
    guard try cursors.cursor == asked else { return nil }
    for scope in removed { try shadow.drop(scope: scope) }
    for scope in restarted { try shadow.restart(scope: scope) }
    for change in changes { try shadow.apply(change) }
    for scope in Set(changes.map { $0["scope"]?.string ?? $0["type"]?.string ?? "" }) {
      try db.execute(literal: "delete from dropped_scope where scope = \(scope)")
    }
    try cursors.setCursor(cursor)
    try cursors.setEpoch(epoch)
    try retry(wanted, db)
    guard !hasMore else { return [] }
    try cursors.setPulled(checkpoint)
    try cursors.setAcknowledged(acknowledged)
    try shadow.sweep()
    try shadow.settle()
    try shadow.coverAgain()
    return try digests.filter { digest in
      let own = try shadow.digest(scope: "\(digest.type)!own")
      return own.count != digest.count || own.checksum != digest.checksum
    }
  }

  /// Puts waiting changes back into the queue that a person asks for, on the server.
  private func retry(_ nos: [Int64], _ db: Database) throws {
    let (outbox, device) = (Outbox(db), try Cursors(db).device)
    let waiting = try outbox.rows("status in ('conflict', 'failed') and device = ?", [device])
    for row in waiting where nos.contains(row.no) { try outbox.apply(.retry, to: row) }
  }
}
