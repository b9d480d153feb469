internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// A history row joined with its record, as the verification reads it.
struct AuditedEntry: RowDecodable, Sendable {
  let recordID: UUID
  /// The current record; nil if it is missing or not visible.
  let record: AuditedRecord?
  let entry: StoredEntry

  init(row: inout RowReader) throws(PostgresError) {
    recordID = try row.next()
    record = try AuditedRecord(row: &row)
    entry = try StoredEntry(row: &row)
  }
}

/// The state of a record that its history must explain: version, status, history head and deletion.
struct AuditedRecord: Sendable {
  let version: Int64
  let status: String?
  let head: HistoryChain.Head
  let isDeleted: Bool

  /// Returns the columns that ``init(row:)`` reads, of a table aliased `t`.
  static func columns(_ type: RecordType) -> SQL {
    let status: SQL = type.workflow == nil ? "null::text" : "t.status"
    return "t.version, \(status), t.history_seq, t.history_hash, t.deleted_at is not null"
  }

  init?(row: inout RowReader) throws(PostgresError) {
    let version: Int64? = try row.next()
    status = try row.next()
    let seq: Int64? = try row.next()
    let hash: [UInt8]? = try row.next()
    let isDeleted: Bool? = try row.next()
    guard let version, let seq, let hash else { return nil }
    self.version = version
    head = HistoryChain.Head(seq: seq, hash: hash)
    self.isDeleted = isDeleted ?? false
  }
}

/// Checks one record against its history, entry by entry: the hash chain, and the status, version and
/// deletion that must result from it.
struct RecordAudit {
  let company: CompanyRow
  let type: String
  let id: UUID
  private let record: AuditedRecord?
  private var walk = HistoryWalk()
  private var fold = HistoryFold()
  private(set) var broken: HistoryChain.Break?

  init(company: CompanyRow, type: String, id: UUID, record: AuditedRecord?) {
    self.company = company
    self.type = type
    self.id = id
    self.record = record
  }

  /// Adds the record's next history entry.
  mutating func follow(_ stored: StoredEntry) {
    // An entry that cannot be parsed was not written by the engine.
    guard let link = try? stored.link(company: company.id, type: type, id: id) else {
      if broken == nil { broken = .init(seq: stored.seq, reason: .altered) }
      return
    }
    fold.follow(link.entry)
    guard broken == nil else { return }
    broken = walk.follow(link, head: record?.head, using: SHA256.hash)
    if broken == nil, stored.isBlanked { broken = .init(seq: stored.seq, reason: .blanked) }
  }

  /// Returns the findings after all entries were added. A broken chain suppresses the other findings.
  mutating func finish() -> [VerifyFinding] {
    guard let record else {
      return [
        finding(.historyWithoutRecord, "there is a history of \(walk.count) entries and no such record")
      ]
    }
    if broken == nil { broken = walk.finish(record.head) }
    if let broken { return [finding(broken)] }
    var findings: [VerifyFinding] = []
    if let gap = fold.gap {
      findings.append(
        finding(.statusGap, "entry \(gap) starts from another status than the one before led to")
      )
    }
    if record.status != fold.status {
      let words = [record.status, fold.status].map { $0 ?? "without status" }
      findings.append(finding(.statusNotFold, "it is \(words[0]), and its history leads to \(words[1])"))
    }
    if record.version != fold.writes {
      findings.append(finding(.versionNotWrites, "version \(record.version) after \(fold.writes) writes"))
    }
    if record.isDeleted != fold.isDeleted {
      let words = record.isDeleted ? ("deleted", "living") : ("living", "deleted")
      findings.append(finding(.deletionNotFold, "it is \(words.0), and its history says \(words.1)"))
    }
    return findings
  }

  func finding(_ found: HistoryChain.Break) -> VerifyFinding {
    switch found.reason {
    case .missing: finding(.historyMissing, "entry \(found.seq) of its history is missing")
    case .altered: finding(.historyAltered, "entry \(found.seq) of its history was changed")
    case .swapped: finding(.historySwapped, "entry \(found.seq) of its history stands in another one's place")
    case .foreign: finding(.historyForeign, "entry \(found.seq) belongs to another record")
    case .blanked:
      finding(.historyBlanked, "the texts of entry \(found.seq) are gone, and no erasure covers them")
    case .beyondHead: finding(.historyBeyondHead, "entry \(found.seq) is newer than the record knows")
    }
  }

  private func finding(_ code: VerifyFinding.Code, _ what: String) -> VerifyFinding {
    VerifyFinding(code, company: company.slug, type: type, record: id, what)
  }
}
