internal import GRDB
internal import SyncProtocol

/// The queue of changes. Their status changes only by the events of ``SyncItem``.
struct Outbox {
  let db: Database
  let cursors: Cursors

  init(_ db: Database) {
    self.db = db
    cursors = Cursors(db)
  }

  /// Returns changes that were being sent to `pending`.
  func restart() throws {
    for row in try rows("status = 'uploading'") { try apply(.restart, to: row) }
  }

  /// Adds a change.
  ///
  /// - Parameters:
  ///   - base: the version of the server's record that the device changed; 0 for a record created here.
  ///   - now: seconds since 1970.
  func append(
    _ operation: SyncOperation,
    _ key: RecordKey,
    fields: [String: FieldValue]? = nil,
    transition: String? = nil,
    comment: String? = nil,
    file: String? = nil,
    base: Int64,
    now: Int64
  ) throws -> ChangeRow {
    let (device, no) = (try cursors.device, try cursors.takeNo())
    try db.execute(
      literal: """
        insert into change (device, no, type, id, op, fields, "transition", comment, file, base_version, made_at, status)
        values (\(device), \(no), \(key.type), \(key.id), \(operation.rawValue),
          \(fields.map { FieldValue.object($0).description }), \(transition), \(comment), \(file), \(base), \(now),
          \(SyncItem().status.rawValue))
        """
    )
    return try row(device, no)
  }

  /// Returns a change.
  ///
  /// - Throws: ``ClientError`` with the kind `unknownChange`.
  func row(_ device: String, _ no: Int64) throws -> ChangeRow {
    let statement: SQLRequest<ChangeRow> = """
      select rowid, * from change where device = \(device) and no = \(no)
      """
    guard let row = try statement.fetchOne(db) else {
      throw ClientError(.unknownChange, "there is no change \(device)/\(no) on this device")
    }
    return row
  }

  /// Returns the changes in some of the statuses, oldest first.
  func rows(in statuses: [SyncStatus]) throws -> [ChangeRow] {
    let list = statuses.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    return try rows("status in (\(list))")
  }

  /// Returns the changes of a record, oldest first.
  func rows(of key: RecordKey) throws -> [ChangeRow] {
    try rows("type = ? and id = ?", [key.type, key.id])
  }

  func rows(_ condition: String, _ arguments: StatementArguments = []) throws -> [ChangeRow] {
    try ChangeRow.fetchAll(
      db,
      sql: "select rowid, * from change where \(condition) order by rowid",
      arguments: arguments
    )
  }

  /// Applies an event to a change, and stores the new status.
  ///
  /// - Throws: ``ClientError`` with the kind `wrongState`.
  @discardableResult
  func apply(_ event: SyncItem.Event, to row: ChangeRow) throws -> ChangeRow {
    var row = row
    do {
      try row.item.apply(event)
    } catch {
      throw ClientError(error, change: "\(row.device)/\(row.no)")
    }
    try db.execute(
      literal: """
        update change set status = \(row.item.status.rawValue), attempts = \(row.item.attempts)
        where device = \(row.device) and no = \(row.no)
        """
    )
    return row
  }

  /// Stores the server's judgement on a change.
  ///
  /// - Parameter checkpoint: the position in the feed that includes the effect.
  func judge(_ device: String, _ answer: FieldValue, checkpoint: Int64, now: Int64) throws {
    guard let no = answer["no"]?.integer, let name = answer["result"]?.string,
      let judgement = SyncJudgement(rawValue: name)
    else { throw ClientError(.invalidAnswer, "the server's judgement \(answer) cannot be understood") }
    var row = try row(device, no)
    // A restart of the app, or a repeated answer, came before this answer.
    if row.item.status == .pending { row = try apply(.upload, to: row) }
    guard row.item.status == .uploading else { return }
    row = try apply(judgement.event, to: row)
    guard judgement.isFinal else {
      let blocker = answer["blocked_by"]?.integer.map { FieldValue.string("waits for change \($0)") }
      let reason = FieldValue.object(["detail": answer["detail"] ?? blocker ?? .null]).description
      return try db.execute(
        literal: """
          update change set code = \(answer["code"]?.string), answer = \(reason)
          where device = \(device) and no = \(no)
          """
      )
    }
    try db.execute(
      literal: """
        update change set result = \(judgement.rawValue), version = \(answer["version"]?.integer),
          checkpoint = \(checkpoint), code = \(answer["code"]?.string),
          answer = \(row.item.status == .synced ? nil : answer.description), answered_at = \(now), decision = null
        where device = \(device) and no = \(no)
        """
    )
  }

  /// Puts a change at the beginning again, because the server does not know it any more.
  func renew(_ row: ChangeRow) throws {
    let item = SyncItem()
    try db.execute(
      literal: """
        update change set status = \(item.status.rawValue), attempts = \(item.attempts), result = null, version = null,
          checkpoint = 0, code = null, answer = null, answered_at = null, decision = null, asks_retry = 0, told = null
        where device = \(row.device) and no = \(row.no)
        """
    )
  }

  /// The number of changes that a sign-out would lose.
  var unsynced: Int {
    get throws {
      try Int.fetchOne(
        db,
        sql: "select count(*) from change where status in ('pending', 'uploading', 'conflict', 'failed')"
      ) ?? 0
    }
  }

  /// The number up to which every answer is stored.
  func confirmed(_ device: String) throws -> Int64 {
    let open: SQLRequest<Int64?> = """
      select min(no) from change
      where device = \(device) and (status in ('pending', 'uploading') or status = 'failed' and result is null)
      """
    return try (open.fetchOne(db).flatMap(\.self) ?? cursors.nextNo) - 1
  }

  /// Forgets changes whose answer is older than 30 days; until then they can be sent again after a restore.
  func prune(now: Int64) throws {
    try db.execute(
      literal: """
        delete from change
        where status in ('synced', 'resolved') and answered_at < \(now - 30 * 86_400)
          and checkpoint <= \(try cursors.pulled)
        """
    )
  }
}
