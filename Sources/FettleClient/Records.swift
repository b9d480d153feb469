internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The records of a type on this device. Reading needs no network.
public struct Records: Sendable {
  /// The type, such as `maintenance.entry`.
  public let type: String
  private let store: LocalStore

  init(type: String, _ store: LocalStore) {
    self.type = type
    self.store = store
  }

  /// Returns all records, by id.
  public func all() async throws -> [LocalRecord] {
    let type = type
    return try await store.read { db in try Self.fetch(db, type) }
  }

  /// Returns a record; nil if it is not on this device, or deleted.
  public func find(_ id: UUID) async throws -> LocalRecord? {
    let (type, key) = (type, id.uuidString.lowercased())
    return try await store.read { db in try Self.fetch(db, type, id: key).first }
  }

  /// Returns all records now, and again after each change of one.
  public func observe() -> Observation<[LocalRecord]> {
    let type = type
    return store.observe { db in try Self.fetch(db, type) }
  }

  private static func fetch(_ db: Database, _ type: String, id: String? = nil) throws -> [LocalRecord] {
    let uploads = try Dictionary(
      grouping: Uploads(db).entries("type = ? and status <> 'resolved'", [type]),
      by: \.record
    )
    let waiting = try Outbox(db).rows(
      "type = ? and op = 'attach' and status in ('conflict', 'failed')",
      [type]
    )
    let refused = Dictionary(waiting.map { ($0.file ?? "", $0.code) }) { first, _ in first }
    let rows: SQLRequest<Row> = """
      select coalesce(d.id, r.id) id, coalesce(d.base_version, r.version) version, coalesce(d.fields, r.fields) fields,
        r.files, d.id is not null is_changed
      from (select id from record where type = \(type) union select id from draft where type = \(type)) x
      left join record r on r.type = \(type) and r.id = x.id
      left join draft d on d.type = \(type) and d.id = x.id
      where coalesce(d.is_deleted, 0) = 0 and (\(id) is null or x.id = \(id))
      order by 1
      """
    return try rows.fetchAll(db).compactMap { row in
      let text: String = row["id"]
      guard let id = UUID(uuidString: text) else { return nil }
      let files: String? = row["files"]
      let told = try files.map { try FieldValue(parsing: $0) }?.array ?? []
      return LocalRecord(
        id: id,
        type: type,
        version: row["version"],
        fields: try Shadow.fields(row["fields"]),
        files: Self.files(told, uploads[text] ?? [], refused),
        isChanged: row["is_changed"]
      )
    }
  }

  /// Returns the server's files, and those that only this device has.
  ///
  /// - Parameter refused: the codes of the changes that attach files and wait for a person.
  private static func files(
    _ told: [FieldValue],
    _ entries: [Uploads.Entry],
    _ refused: [String: String?]
  ) -> [LocalFile] {
    let known = told.compactMap { file -> LocalFile? in
      guard let id = file["id"]?.string.flatMap(UUID.init(uuidString:)) else { return nil }
      return LocalFile(
        id: id,
        kind: file["kind"]?.string ?? "",
        name: file["name"]?.string ?? "",
        mediaType: file["media_type"]?.string ?? "",
        size: file["size"]?.integer ?? 0,
        state: file["state"]?.string == "ready" ? .ready : .preparing
      )
    }
    // The server knows a file as soon as it is attached; this device knows whether it has sent the bytes.
    let sent = Set(entries.filter { $0.item.status == .synced }.map(\.id))
    let own = entries.compactMap { entry -> LocalFile? in
      guard let id = UUID(uuidString: entry.id) else { return nil }
      if sent.contains(entry.id), known.contains(where: { $0.id == id }) { return nil }
      let state: LocalFile.State =
        switch entry.item.status {
        case .failed: .failed(code: entry.code)
        case .synced: .preparing
        default: refused[entry.id].map { .failed(code: $0) } ?? .waiting
        }
      return LocalFile(
        id: id,
        kind: entry.kind,
        name: entry.name,
        mediaType: entry.mediaType,
        size: entry.size,
        state: state
      )
    }
    let shown = Set(own.map(\.id))
    return known.filter { !shown.contains($0.id) } + own
  }
}
