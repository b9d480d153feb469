internal import Domain
internal import FoundationEssentials
internal import Secrets

/// An entry of the history in an archive.
struct ArchivedEntry: Sendable {
  let type: String
  let id: UUID
  let entry: StoredEntry

  /// The record, as ``HistoryReseal`` names it.
  var key: String { "\(type) \(id.text)" }
  /// The entry, as ``HistoryReseal`` names it.
  var coverKey: String { "\(key) \(entry.seq)" }

  /// Reads a line.
  ///
  /// - Throws: `invalid_document` if a column is missing or has another form.
  init(_ line: [UInt8]) throws {
    let row = try ArchiveLine.object(line)
    guard let type = row["record_type"]?.string,
      let id = row["record_id"]?.string.flatMap(UUID.init(uuidString:)),
      let entry = StoredEntry(archived: row)
    else { throw ArchiveReader.fault("a line of core.history is not complete") }
    self.type = type
    self.id = id
    self.entry = entry
  }
}

extension StoredEntry {
  /// Reads the row from a line of an archive; nil if a column is missing or has another form. Whether an erasure covers the
  /// entry is not in the line.
  fileprivate init?(archived row: JSONObject) {
    func id(_ column: String) -> UUID? { row[column]?.string.flatMap(UUID.init(uuidString:)) }
    func bytes(_ column: String) -> [UInt8]? { row[column]?.string.flatMap(ArchiveLine.bytes) }
    guard let seq = row["seq"]?.number?.integer, let kind = row["kind"]?.string,
      let occurred = row["occurred_at"]?.string.flatMap(Instant.init(rfc3339:)),
      let actorKind = row["actor_kind"]?.string, let actorName = row["actor_name"]?.string,
      let changes = row["changes"], let salt = bytes("salt"),
      let actorNameDigest = bytes("actor_name_digest"), let commentDigest = bytes("comment_digest"),
      let changesDigest = bytes("changes_digest"), let hash = bytes("hash")
    else { return nil }
    self.seq = seq
    self.kind = kind
    self.occurred = occurred
    definition = row["definition_version"]?.number?.integer.flatMap(Int32.init(exactly:))
    transition = row["transition"]?.string
    from = row["from_status"]?.string
    to = row["to_status"]?.string
    self.actorKind = actorKind
    actorID = id("actor_id")
    self.actorName = actorName
    onBehalfOf = id("on_behalf_of")
    comment = row["comment"]?.string
    self.changes = .value(changes)
    self.salt = salt
    digests = (actorName: actorNameDigest, comment: commentDigest, changes: changesDigest)
    request = id("request_id")
    self.hash = hash
    erasure = nil
  }
}
