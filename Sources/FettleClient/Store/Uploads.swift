internal import GRDB
internal import SyncProtocol

/// The bytes of the files that this device added. They have the same statuses as changes.
///
/// A change attaches a file to its record, in the order of the device's changes. The bytes follow once it is applied.
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
    let detail: String?
    /// The number of bytes that the server had when it was last asked.
    let received: Int64

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
      detail = row["detail"]
      received = row["received"]
    }

    /// The file as the change that attaches it describes it.
    var description: FieldValue {
      ["id": .string(id), "kind": .string(kind), "name": .string(name), "size": .integer(size)]
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

  /// Returns the oldest file that can be sent: the change that attaches it is applied. A file of an earlier version of the
  /// app has no such change; its record must be on the server.
  func next(after skipped: Set<String>) throws -> Entry? {
    let waiting = try entries(
      """
      status = 'pending' and not exists (
        select 1 from change c
        where (c.file = file.id or c.type = file.type and c.id = file.record and c.op = 'create')
          and (c.status in ('pending', 'uploading', 'conflict', 'failed')
            or c.status = 'resolved' and c.file is not null and c.decision in ('server', 'discard')))
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

  /// Notes how many bytes the server has. An attempt that got on is no failed one.
  func note(received: Int64, of id: String) throws {
    try db.execute(
      literal:
        "update file set received = \(received), attempts = 0 where id = \(id) and received < \(received)"
    )
  }

  /// Gives up a file, because the change that attaches it was given up.
  func giveUp(_ id: String) throws {
    var item = try entry(id).item
    if item.status == .pending { try apply(.upload, to: id) }
    item = try entry(id).item
    if item.status == .uploading { try apply(.reject, to: id) }
    item = try entry(id).item
    if item.status == .failed { try apply(.discard, to: id) }
  }

  /// Returns the files that were given up without the server's knowledge.
  func withdrawn() throws -> [Entry] { try entries("status = 'resolved' and is_withdrawn = 0") }

  /// Notes that the server was told that a file was given up.
  func withdraw(_ id: String) throws {
    try db.execute(literal: "update file set is_withdrawn = 1 where id = \(id)")
  }

  /// Puts a file at the beginning again, because the server does not know it any more.
  func renew(_ id: String) throws {
    let item = SyncItem()
    try db.execute(
      literal:
        "update file set status = \(item.status.rawValue), attempts = \(item.attempts), received = 0 where id = \(id)"
    )
  }

  /// Puts files at the beginning again whose bytes the server still awaits, as after a restore.
  func renewAwaited() throws {
    let awaited = try entries(
      """
      status = 'synced' and exists (
        select 1 from record r, json_each(r.files) f
        where r.type = file.type and r.id = file.record and json_extract(f.value, '$.id') = file.id
          and json_extract(f.value, '$.state') = 'awaited')
      """
    )
    for entry in awaited { try renew(entry.id) }
  }

  /// Returns the files whose bytes were sent and whose records here do not tell of them, each with whether its record is
  /// here. A file is kept in mind as long as the change that attaches it.
  func untold() throws -> [(entry: Entry, isReadable: Bool)] {
    let record = "select 1 from record r where r.type = file.type and r.id = file.record"
    let untold = """
      status = 'synced' and not exists (
        select 1 from record r, json_each(r.files) f
        where r.type = file.type and r.id = file.record and json_extract(f.value, '$.id') = file.id)
      """
    let readable = try entries("\(untold) and exists (\(record))").map { ($0, true) }
    let others = try entries(
      "\(untold) and not exists (\(record)) and exists (select 1 from change c where c.file = file.id)"
    )
    return readable + others.map { ($0, false) }
  }

  /// The number of files that a sign-out would lose, without those that the change counts which attaches them.
  var unsynced: Int { get throws { try waiting().count } }

  /// Returns the files that were not sent and whose changes do not wait.
  func waiting() throws -> [Entry] {
    try entries(
      """
      status in ('pending', 'uploading', 'failed') and not exists (
        select 1 from change c
        where c.file = file.id and c.status in ('pending', 'uploading', 'conflict', 'failed'))
      """
    )
  }
}
