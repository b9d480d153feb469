internal import GRDB
internal import SyncProtocol

/// The records: what the server told last, and the drafts of this device above it.
struct Shadow {
  private let db: Database

  init(_ db: Database) { self.db = db }

  /// A record as the app sees it.
  struct View: Sendable {
    /// The version of the server's record that the view is based on; 0 if it was created here.
    let version: Int64
    let fields: [String: FieldValue]
    let isDeleted: Bool
    let isDraft: Bool
  }

  /// Returns a record as the app sees it; nil if it is not on this device.
  func view(_ key: RecordKey) throws -> View? {
    let draft: SQLRequest<Row> = """
      select base_version, fields, is_deleted from draft where type = \(key.type) and id = \(key.id)
      """
    if let row = try draft.fetchOne(db) {
      return View(version: row[0], fields: try Self.fields(row[1]), isDeleted: row[2], isDraft: true)
    }
    let record: SQLRequest<Row> = """
      select version, fields from record where type = \(key.type) and id = \(key.id)
      """
    guard let row = try record.fetchOne(db) else { return nil }
    return View(version: row[0], fields: try Self.fields(row[1]), isDeleted: false, isDraft: false)
  }

  /// Covers a record with a draft, or changes the draft. Its version stays that of the first change.
  func cover(_ key: RecordKey, base: Int64, _ fields: [String: FieldValue], isDeleted: Bool = false) throws {
    try db.execute(
      literal: """
        insert into draft (type, id, base_version, fields, is_deleted)
        values (\(key.type), \(key.id), \(base), \(FieldValue.object(fields).description), \(isDeleted))
        on conflict (type, id) do update set fields = excluded.fields, is_deleted = excluded.is_deleted
        """
    )
  }

  /// Applies one change of a page.
  func apply(_ change: FieldValue) throws {
    guard let type = change["type"]?.string, let id = change["id"]?.string,
      let operation = change["op"]?.string
    else { throw ClientError(.invalidAnswer, "the server's change \(change) cannot be understood") }
    guard operation == "put", let fields = change["fields"] else {
      if operation == "leave" { try lose([id], of: type) }
      return try db.execute(literal: "delete from record where type = \(type) and id = \(id)")
    }
    try db.execute(
      literal: """
        insert or replace into record (type, id, scope, version, fields, files)
        values (\(type), \(id), \(change["scope"]?.string ?? type), \(change["version"]?.integer ?? 0),
          \(fields.description), \(change["files"]?.description))
        """
    )
  }

  /// Removes the records of a scope that the member may no longer read.
  func drop(scope: String) throws {
    let rows: SQLRequest<Row> = "select type, id from record where scope = \(scope)"
    for row in try rows.fetchAll(db) { try lose([row[1] as String], of: row[0]) }
    try db.execute(literal: "insert or ignore into dropped_scope (scope) values (\(scope))")
  }

  /// Removes records that the member may no longer read, with everything that shows the server's values: the draft,
  /// and the server's side of a conflict. The member's own changes stay in the queue.
  func lose(_ ids: some Sequence<String>, of type: String) throws {
    for id in ids {
      for table in ["record", "draft"] {
        try db.execute(sql: "delete from \(table) where type = ? and id = ?", arguments: [type, id])
      }
      try db.execute(
        literal: """
          update change set answer = json_remove(answer, '$.server')
          where type = \(type) and id = \(id) and answer is not null
          """
      )
    }
  }

  /// Removes the records of every scope, and begins again with the next pull.
  func loseAll() throws {
    let rows = try Row.fetchAll(db, sql: "select type, id from record")
    for row in rows { try lose([row[1] as String], of: row[0]) }
    try Cursors(db).restart(isRestored: false)
  }

  /// Begins a scope again: its records are stale until they are sent again.
  func restart(scope: String) throws {
    try db.execute(literal: "update record set is_stale = 1 where scope = \(scope)")
  }

  /// Removes the records that were not sent again. Call at the end of a complete pull.
  ///
  /// Whether such a record is deleted or may not be read any more is not known, so its draft goes with it. If it comes
  /// back, changes that wait cover it again.
  func sweep() throws {
    for row in try Row.fetchAll(db, sql: "select type, id from record where is_stale = 1") {
      try lose([row[1] as String], of: row[0])
    }
  }

  /// Removes the drafts of deleted records, which a restored server may have again, and may not show to the member.
  func loseDeleted() throws {
    let drafts: SQLRequest<Row> = """
      select d.type, d.id from draft d
      where d.base_version > 0
        and not exists (select 1 from record r where r.type = d.type and r.id = d.id)
      """
    for row in try drafts.fetchAll(db) { try lose([row[1] as String], of: row[0]) }
  }

  /// Ends the drafts of records whose changes are all judged and pulled: the app sees the server's record again. A file
  /// that waits changes no fields.
  func settle() throws {
    let cursors = Cursors(db)
    try db.execute(
      literal: """
        delete from draft
        where not exists (
          select 1 from change c
          where c.type = draft.type and c.id = draft.id and c.op <> 'attach'
            and (c.status in ('pending', 'uploading', 'conflict', 'failed')
              or c.status = 'synced' and (c.checkpoint > \(try cursors.pulled)
                or c.device = \(try cursors.device) and c.no > \(try cursors.acknowledged)))
        )
        """
    )
  }

  /// Covers records again whose draft was removed with a right that the member has got back, while changes wait.
  func coverAgain() throws {
    let keys: SQLRequest<Row> = """
      select distinct c.type, c.id from change c
      join record r on r.type = c.type and r.id = c.id
      where c.status in ('pending', 'uploading', 'conflict', 'failed') and c.op <> 'attach'
        and not exists (select 1 from draft d where d.type = c.type and d.id = c.id)
      """
    for row in try keys.fetchAll(db) {
      let key = RecordKey(type: row[0], id: row[1])
      guard let view = try view(key) else { continue }
      let open = try Outbox(db).rows(of: key).filter { $0.item.status.isOpen }
      var fields = view.fields
      for change in open { fields.merge(change.fields) { _, new in new } }
      try cover(key, base: view.version, fields, isDeleted: open.contains { $0.operation == .delete })
    }
  }

  /// The number and checksum of the records of a scope, to be compared with the server's.
  func digest(scope: String) throws -> (count: Int, checksum: String) {
    let ids = try ids(scope: scope)
    var checksum: UInt64 = 0
    for id in ids { checksum ^= UInt64(id.filter { $0 != "-" }.suffix(16), radix: 16) ?? 0 }
    let digits = String(checksum, radix: 16)
    return (ids.count, String(repeating: "0", count: 16 - digits.count) + digits)
  }

  /// The ids of the records of a scope.
  func ids(scope: String) throws -> [String] {
    try SQLRequest<String>(literal: "select id from record where scope = \(scope)").fetchAll(db)
  }

  /// True if records of a type were dropped because the member may no longer read them.
  func isDropped(type: String) throws -> Bool {
    let dropped: SQLRequest<Bool> = """
      select exists (
        select 1 from dropped_scope
        where scope = \(type) or scope like \(type + "!%") or scope like \(type + "/%")
      ) and not exists (select 1 from record where type = \(type))
      """
    return try dropped.fetchOne(db) ?? false
  }

  static func fields(_ text: String) throws -> [String: FieldValue] {
    try FieldValue(parsing: text).object ?? [:]
  }
}
