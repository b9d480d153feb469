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
        let cover = row["covers"]?.string.flatMap(ArchiveLine.bytes)
      else { throw ArchiveReader.fault("an erasure has no entry") }
      covers["\(key) \(seq)"] = cover
    }
    self.covers = covers
  }

  /// Returns lines of history, which come in the order of the primary key, with new ids and hashes.
  ///
  /// - Throws: `history_broken`.
  mutating func history(_ lines: [[UInt8]], _ tx: Transaction) throws -> [[UInt8]] {
    let entries = try lines.map(ArchivedEntry.init)
    let erased = try erased(entries, lines, tx)
    var sealed: [[UInt8]] = []
    sealed.reserveCapacity(lines.count)
    for (index, old) in entries.enumerated() {
      let line = map(lines[index])
      sealed.append(try seal(old, ArchivedEntry(line), isErased: erased.contains(index), line))
    }
    return sealed
  }

  /// Returns the indices of the entries that an erasure of the archive covers as they are.
  private func erased(_ entries: [ArchivedEntry], _ lines: [[UInt8]], _ tx: Transaction) throws -> Set<Int> {
    let candidates = entries.indices.filter { index in
      entries[index].entry.salt.isEmpty && covers[entries[index].coverKey] != nil
    }
    guard !candidates.isEmpty else { return [] }
    let found = try tx.rows(
      """
      select core.erasure_cover(h)
      from unnest(\(candidates.map { String(decoding: lines[$0], as: UTF8.self) })) with ordinality l (line, no)
      cross join lateral jsonb_populate_record(null::core.history, l.line::jsonb) h
      order by l.no
      """,
      [UInt8].self
    )
    return Set(zip(candidates, found).filter { covers[entries[$0].coverKey] == $1 }.map(\.0))
  }

  private mutating func seal(
    _ old: ArchivedEntry,
    _ new: ArchivedEntry,
    isErased: Bool,
    _ line: [UInt8]
  ) throws -> [UInt8] {
    let last = previous.flatMap { $0.type == old.type && $0.id == old.id ? $0 : nil }
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
    heads[old.key] = (link.hash, hash)
    let were = new.entry.digests
    var line = try ArchiveLine.replacing("hash", link.hash, by: hash, in: line)
    line = try ArchiveLine.replacing("actor_name_digest", were.actorName, by: digests.0, in: line)
    line = try ArchiveLine.replacing("comment_digest", were.comment, by: digests.1, in: line)
    return try ArchiveLine.replacing("changes_digest", were.changes, by: digests.2, in: line)
  }

  /// Returns the line of a record with new ids and the new head of its history.
  ///
  /// - Throws: `history_broken` if the head is not that of the history.
  func record(_ line: [UInt8], type: String) throws -> [UInt8] {
    let found = try ArchiveLine.strings(of: ["id", "history_hash"], in: line)
    guard let id = found[0], let stored = found[1], let head = heads["\(type) \(id)"],
      stored == "\\x" + Hex.encode(head.old)
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
