internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Checks the history of an archive, and seals it again with the ids that replace those of the archive: the hashes cover ids.
///
/// A history that is broken is refused, since new hashes would hide the break. Seals over the company's whole history are
/// not made again: the audit notes the newest one, and the next night begins with a new one.
struct HistoryReseal {
  private let map: IDMap
  private let company: UUID
  /// The digests of erasures by type, record and number.
  private let covers: [String: [UInt8]]
  private var previous: (type: String, id: UUID, seq: Int64, old: [UInt8], new: [UInt8])?
  /// The hashes of the newest entries by record, before and after.
  private var heads: [String: (old: [UInt8], new: [UInt8])] = [:]

  init(_ archive: ArchiveReader, _ map: IDMap) throws {
    self.map = map
    company = archive.manifest.company.id
    var covers: [String: [UInt8]] = [:]
    try archive.forEachLine(of: ArchiveManifest.member(of: "core.history_erasure")) { line in
      let row = try ArchiveLine.object(line)
      guard let key = Self.key(row), let seq = row["seq"]?.number,
        let cover = row["covers"]?.string.flatMap({ Hex.decode(String($0.dropFirst(2))) })
      else { throw ArchiveReader.fault("an erasure has no entry") }
      covers["\(key) \(seq)"] = cover
    }
    self.covers = covers
  }

  /// Returns lines of history, which come in the order of the primary key, with new ids and hashes.
  ///
  /// - Throws: `history_broken`.
  mutating func history(_ lines: [[UInt8]], _ tx: Transaction) throws -> [[UInt8]] {
    let mapped = lines.map { map($0) }
    let before = try entries(lines, tx)
    let after = try entries(mapped, tx)
    var sealed: [[UInt8]] = []
    for (index, (old, new)) in zip(before, after).enumerated() {
      sealed.append(try seal(old, new, mapped[index]))
    }
    return sealed
  }

  private mutating func seal(_ old: ArchivedEntry, _ new: ArchivedEntry, _ line: [UInt8]) throws -> [UInt8] {
    let key = "\(old.type) \(old.id.text)"
    let last = previous.flatMap { $0.type == old.type && $0.id == old.id ? $0 : nil }
    let isErased =
      old.entry.salt.isEmpty && covers["\(key) \(old.entry.seq)"].map { $0 == old.cover } ?? false
    let link = try old.entry.link(company: company, type: old.type, id: old.id)
    guard
      old.entry.seq == (last?.seq ?? 0) + 1, isErased || !old.entry.isBlanked,
      isErased || HistoryChain.hash(link.entry, after: last?.old ?? [], using: SHA256.hash) == link.hash
    else {
      throw DomainError(
        .historyBroken,
        "the history of \(old.type) \(old.id.text) is broken at entry \(old.entry.seq)",
        hint: "import it under the same ids, or run `fettle verify` where it comes from"
      )
    }
    let (entry, digests) = try new.entry.resealed(company: map(company), type: new.type, id: new.id)
    let hash = HistoryChain.hash(entry, after: last?.new ?? [], using: SHA256.hash)
    previous = (old.type, old.id, old.entry.seq, link.hash, hash)
    heads[key] = (link.hash, hash)
    let were = new.entry.digests
    var line = try ArchiveLine.replacing("hash", link.hash, by: hash, in: line)
    line = try ArchiveLine.replacing("actor_name_digest", were.actorName, by: digests.0, in: line)
    line = try ArchiveLine.replacing("comment_digest", were.comment, by: digests.1, in: line)
    return try ArchiveLine.replacing("changes_digest", were.changes, by: digests.2, in: line)
  }

  private func entries(_ lines: [[UInt8]], _ tx: Transaction) throws -> [ArchivedEntry] {
    try tx.rows(
      """
      select h.record_type, h.record_id, case when octet_length(h.salt) = 0 then core.erasure_cover(h) end,
        \(StoredEntry.columns)
      from unnest(\(lines.map { String(decoding: $0, as: UTF8.self) })) with ordinality l (line, no)
      cross join lateral jsonb_populate_record(null::core.history, l.line::jsonb) h
      order by l.no
      """,
      as: ArchivedEntry.self
    )
  }

  /// Returns the line of a record with new ids and the new head of its history.
  ///
  /// - Throws: `history_broken` if the head is not that of the history.
  func record(_ line: [UInt8], type: String) throws -> [UInt8] {
    let row = try ArchiveLine.object(line)
    guard let id = row["id"]?.string, let stored = row["history_hash"]?.string,
      let head = heads["\(type) \(id)"], stored == "\\x" + Hex.encode(head.old)
    else {
      throw DomainError(
        .historyBroken,
        "a record of \(type) does not fit its history",
        hint: "import it under the same ids, or run `fettle verify` where it comes from"
      )
    }
    return try ArchiveLine.replacing("history_hash", head.old, by: head.new, in: map(line))
  }

  private static func key(_ row: JSONObject) -> String? {
    guard let type = row["record_type"]?.string, let id = row["record_id"]?.string else { return nil }
    return "\(type) \(id)"
  }
}

/// An entry of the history in an archive.
private struct ArchivedEntry: RowDecodable, Sendable {
  let type: String
  let id: UUID
  /// The digest that an erasure of the entry's texts would have; nil if they are there.
  let cover: [UInt8]?
  let entry: StoredEntry

  init(row: inout RowReader) throws(PostgresError) {
    type = try row.next()
    id = try row.next()
    cover = try row.next()
    entry = try StoredEntry(row: &row)
  }
}

extension ArchiveLine {
  /// Returns a line in which a column with bytes has other ones. The rest stays as PostgreSQL has written it.
  fileprivate static func replacing(
    _ column: String,
    _ old: [UInt8],
    by new: [UInt8],
    in line: [UInt8]
  ) throws -> [UInt8] {
    guard old != new else { return line }
    let quoted = { (bytes: [UInt8]) in Array("\"\(column)\":\"\\\\x\(Hex.encode(bytes))\"".utf8) }
    guard let place = line.firstRange(of: quoted(old)) else {
      throw ArchiveReader.fault("a line has no \(column)")
    }
    return line[..<place.lowerBound] + quoted(new) + line[place.upperBound...]
  }
}
