internal import GRDB
internal import SyncProtocol

/// The files that this device added. They have the same statuses as changes.
struct Uploads {
  /// A file that this device added.
  struct Entry: FetchableRecord, Sendable {
    let id: String
    let type: String
    let record: String
    let kind: String
    let name: String
    let mediaType: String
    let size: Int64
    var item: SyncItem
    let code: String?

    init(row: Row) throws {
      id = row["id"]
      type = row["type"]
      record = row["record"]
      kind = row["kind"]
      name = row["name"]
      mediaType = row["media_type"]
      size = row["size"]
      item = SyncItem(status: SyncStatus(rawValue: row["status"]) ?? .pending, attempts: row["attempts"])
      code = row["code"]
    }
  }

  private let db: Database

  init(_ db: Database) { self.db = db }

  /// Returns files that were being sent to `pending`.
  func restart() throws {
    for entry in try entries("status = 'uploading'") { try apply(.restart, to: entry.id) }
  }

  /// Adds a file whose bytes are in the folder of the store.
  func append(
    _ id: String,
    _ key: RecordKey,
    kind: String,
    name: String,
    mediaType: String,
    size: Int,
    now: Int64
  ) throws {
    try db.execute(
      literal: """
        insert into file (id, type, record, kind, name, media_type, size, status, made_at)
        values (\(id), \(key.type), \(key.id), \(kind), \(name), \(mediaType), \(size),
          \(SyncItem().status.rawValue), \(now))
        """
    )
  }

  /// Returns a file.
  ///
  /// - Throws: ``ClientError`` with the kind `unknownChange`.
  func entry(_ id: String) throws -> Entry {
    guard let entry = try entries("id = ?", [id]).first else {
      throw ClientError(.unknownChange, "there is no file \(id) of this device")
    }
    return entry
  }

  func entries(_ condition: String, _ arguments: StatementArguments = []) throws -> [Entry] {
    try Entry.fetchAll(
      db,
      sql: "select * from file where \(condition) order by made_at, id",
      arguments: arguments
    )
  }

  /// Returns the oldest file that can be sent: its record is on the server.
  func next(after skipped: Set<String>) throws -> Entry? {
    let waiting = try entries(
      """
      status = 'pending' and not exists (
        select 1 from change c
        where c.type = file.type and c.id = file.record and c.op = 'create'
          and c.status in ('pending', 'uploading', 'conflict', 'failed'))
      """
    )
    return waiting.first { !skipped.contains($0.id) }
  }

  /// Applies an event to a file, and stores the new status.
  func apply(_ event: SyncItem.Event, to id: String, code: String? = nil, detail: String? = nil) throws {
    var item = try entry(id).item
    do {
      try item.apply(event)
    } catch {
      throw ClientError(error, change: id)
    }
    try db.execute(
      literal: """
        update file set status = \(item.status.rawValue), attempts = \(item.attempts), code = \(code), detail = \(detail)
        where id = \(id)
        """
    )
  }

  /// Puts a file at the beginning again, because the server does not know it any more.
  func renew(_ id: String) throws {
    let item = SyncItem()
    try db.execute(
      literal:
        "update file set status = \(item.status.rawValue), attempts = \(item.attempts) where id = \(id)"
    )
  }

  /// The number of files that a sign-out would lose.
  var unsynced: Int {
    get throws { try entries("status in ('pending', 'uploading', 'failed')").count }
  }
}
