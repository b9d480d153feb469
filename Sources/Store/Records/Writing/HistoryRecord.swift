package import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets

/// A change that a command reports, before it becomes an entry of the record's history.
package struct HistoryDraft: Sendable {
  package let kind: HistoryEntry.Kind
  package let transition: String?
  package let from: String?
  package let to: String?
  package let comment: String?
  /// The changed columns, each with `[before, after]`.
  package let changes: JSONObject

  package init(
    kind: HistoryEntry.Kind,
    transition: String? = nil,
    from: String? = nil,
    to: String? = nil,
    comment: String? = nil,
    changes: JSONObject = [:]
  ) {
    self.kind = kind
    self.transition = transition
    self.from = from
    self.to = to
    self.comment = comment
    self.changes = changes
  }
}

/// An entry of a record's history, with the hash that binds it to the previous entry.
package struct HistoryRecord: Sendable {
  package let draft: HistoryDraft
  package let entry: HistoryEntry
  package let hash: [UInt8]
  let actorName: String
  let changesText: String
  let salt: [UInt8]
  /// The version of the record after the event; nil if the event has none. The hash does not cover it.
  let version: Int64?
  /// The device whose change the event is; nil for other events. The hash does not cover it.
  let device: UUID?

  package var seq: Int64 { entry.seq }

  /// The number and hash that the record's own row stores.
  package var head: HistoryHead { HistoryHead(seq: seq, hash: hash) }

  /// Creates the entry after `previous`.
  ///
  /// - Parameters:
  ///   - definition: the version of the workflow definition; nil for a type without a workflow.
  ///   - previous: the head of the record's history so far; nil for its first entry.
  ///   - version: the version of the record after the event; nil if the event has none.
  ///   - device: the device whose change the event is; nil for other events.
  ///   - salt: for the digests of personal text; random unless the output must be identical in all runs.
  package init(
    _ draft: HistoryDraft,
    type: String,
    id: UUID,
    definition: Int?,
    previous: HistoryHead?,
    version: Int64? = nil,
    device: UUID? = nil,
    at now: Instant,
    actorName: String?,
    context: WorkContext,
    salt: [UInt8] = SecureRandom.bytes(16)
  ) {
    self.draft = draft
    self.actorName = actorName ?? ""
    changesText = JSONValue.object(draft.changes).canonicalText
    self.salt = salt
    self.version = version
    self.device = device
    entry = HistoryEntry(
      company: context.company,
      recordType: type,
      record: id,
      seq: (previous?.seq ?? 0) + 1,
      kind: draft.kind,
      occurred: now,
      definitionVersion: definition,
      transition: draft.transition,
      from: draft.from,
      to: draft.to,
      actor: context.actor,
      actorNameDigest: HistoryDigest.of(actorName, salt),
      commentDigest: HistoryDigest.of(draft.comment, salt),
      changesDigest: draft.changes.isEmpty ? [] : HistoryDigest.of(changesText, salt),
      request: context.requestID
    )
    hash = HistoryChain.hash(entry, after: previous?.hash ?? [], using: SHA256.hash)
  }

  /// Returns the statement that inserts the entry.
  ///
  /// The common case of one entry has a form of its own: that of many sends and unpacks nine arrays.
  func insert(company: UUID) -> SQL {
    """
    insert into core.history
      (company_id, record_type, record_id, seq, kind, occurred_at, definition_version, version, device_id, transition,
       from_status, to_status, actor_kind, actor_id, actor_name, on_behalf_of, comment, changes, salt,
       actor_name_digest, comment_digest, changes_digest, request_id, hash)
    values (\(company), \(entry.recordType), \(entry.record), \(entry.seq), \(entry.kind.rawValue), \(entry.occurred),
      \(nullable: definition), \(nullable: version), \(nullable: device), \(nullable: entry.transition),
      \(nullable: entry.from), \(nullable: entry.to), \(entry.actor.kind.rawValue), \(nullable: entry.actor.id),
      \(actorName), \(nullable: entry.actor.onBehalfOf), \(nullable: draft.comment), \(JSON(text: changesText)), \(salt),
      \(entry.actorNameDigest), \(entry.commentDigest), \(entry.changesDigest), \(nullable: entry.request), \(hash))
    """
  }

  private var definition: Int32? { entry.definitionVersion.map(Int32.init(clamping:)) }

  /// Returns a query that finds the entry if it was committed; the salt makes its hash unique.
  func proof(company: UUID) -> SQL {
    """
    select from core.history h
    where h.company_id = \(company) and h.record_type = \(entry.recordType) and h.record_id = \(entry.record)
      and h.seq = \(entry.seq) and h.hash = \(hash)
    """
  }

  /// Returns the statement that inserts entries of any kind and of several records at once.
  ///
  /// - Parameter skipsExisting: true to leave out entries that are there already.
  package static func insert(
    _ records: ArraySlice<HistoryRecord>,
    company: UUID,
    skipsExisting: Bool = false
  ) -> SQL {
    var rows = ManyRows(
      records,
      isUniform: records.first.map { first in records.allSatisfy { $0.tellsTheSame(as: first) } } ?? true
    )
    rows.shared("record_type", \.entry.recordType)
    rows.column("record_id", records.map(\.entry.record))
    rows.column("seq", records.map(\.seq))
    rows.shared("kind", \.entry.kind.rawValue)
    rows.shared("occurred_at", \.entry.occurred)
    rows.shared("definition_version", \.definition)
    rows.column("version", records.map(\.version))
    rows.shared("device_id", \.device)
    rows.shared("transition", \.entry.transition)
    rows.shared("from_status", \.entry.from)
    rows.shared("to_status", \.entry.to)
    rows.shared("actor_kind", \.entry.actor.kind.rawValue)
    rows.shared("actor_id", \.entry.actor.id)
    rows.shared("actor_name", \.actorName)
    rows.shared("on_behalf_of", \.entry.actor.onBehalfOf)
    rows.shared("comment", \.draft.comment)
    rows.column("changes", records.map(\.changesText), as: "jsonb")
    rows.column("salt", records.map(\.salt))
    rows.column("actor_name_digest", records.map(\.entry.actorNameDigest))
    rows.column("comment_digest", records.map(\.entry.commentDigest))
    rows.column("changes_digest", records.map(\.entry.changesDigest))
    rows.shared("request_id", \.entry.request)
    rows.column("hash", records.map(\.hash))
    let rest: SQL = skipsExisting ? "\non conflict (company_id, record_type, record_id, seq) do nothing" : ""
    return rows.insert(into: "core.history", company: company) + rest
  }

  /// True if the entries describe the same act on two records; numbers, changes and hashes may differ.
  private func tellsTheSame(as other: HistoryRecord) -> Bool {
    let (mine, others) = (entry, other.entry)
    return mine.recordType == others.recordType && mine.kind == others.kind
      && mine.occurred == others.occurred
      && mine.definitionVersion == others.definitionVersion && mine.transition == others.transition
      && mine.from == others.from && mine.to == others.to && mine.actor == others.actor
      && mine.request == others.request && device == other.device && actorName == other.actorName
      && draft.comment == other.draft.comment
  }
}

/// Salted digests, by which a hash chain covers personal text without storing the text in it.
package enum HistoryDigest {
  /// Returns the SHA-256 of salt and text; empty if there is no text.
  package static func of(_ text: String?, _ salt: [UInt8]) -> [UInt8] {
    guard let text, !text.isEmpty else { return [] }
    return SHA256.hash(salt + Array(text.utf8))
  }
}
