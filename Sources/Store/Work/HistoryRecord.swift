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

  /// The columns of an entry after the company, in the order of all statements below.
  private static let columns: SQL = """
    record_type, record_id, seq, kind, occurred_at, definition_version, version, device_id, transition,
    from_status, to_status, actor_kind, actor_id, actor_name, on_behalf_of, comment, changes, salt,
    actor_name_digest, comment_digest, changes_digest, request_id, hash
    """

  /// Returns the statement that inserts the entry.
  ///
  /// The common case of one entry has a form of its own: that of many sends and unpacks nine arrays.
  func insert(company: UUID) -> SQL {
    """
    insert into core.history (company_id, \(Self.columns))
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
    let isOneAct = records.first.map { first in records.allSatisfy { $0.tellsTheSame(as: first) } } ?? true
    let source = isOneAct ? ofOneAct(records, company: company) : mixed(records, company: company)
    let rest: SQL = skipsExisting ? "\non conflict (company_id, record_type, record_id, seq) do nothing" : ""
    return "insert into core.history (company_id, \(columns))\n\(source)\(rest)"
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

  /// Selects entries of one act on many records. Common values are sent once.
  private static func ofOneAct(_ records: ArraySlice<HistoryRecord>, company: UUID) -> SQL {
    guard let first = records.first else { return "select null where false" }
    return """
      select \(company), \(first.entry.recordType), x.record_id, x.seq, \(first.entry.kind.rawValue), \(first.entry.occurred),
        \(nullable: first.definition), x.version, \(nullable: first.device), \(nullable: first.entry.transition),
        \(nullable: first.entry.from), \(nullable: first.entry.to), \(first.entry.actor.kind.rawValue),
        \(nullable: first.entry.actor.id), \(first.actorName), \(nullable: first.entry.actor.onBehalfOf),
        \(nullable: first.draft.comment), x.changes::jsonb, x.salt, x.actor_name_digest, x.comment_digest,
        x.changes_digest, \(nullable: first.entry.request), x.hash
      from unnest(
        \(records.map(\.entry.record)), \(records.map(\.seq)), \(records.map(\.version)), \(records.map(\.changesText)),
        \(records.map(\.salt)), \(records.map(\.entry.actorNameDigest)), \(records.map(\.entry.commentDigest)),
        \(records.map(\.entry.changesDigest)), \(records.map(\.hash))
      ) x (record_id, seq, version, changes, salt, actor_name_digest, comment_digest, changes_digest, hash)
      """
  }

  private static func mixed(_ records: ArraySlice<HistoryRecord>, company: UUID) -> SQL {
    """
    select \(company), x.record_type, x.record_id, x.seq, x.kind, x.occurred_at, x.definition_version, x.version,
      x.device_id, x.transition, x.from_status, x.to_status, x.actor_kind, x.actor_id, x.actor_name, x.on_behalf_of,
      x.comment, x.changes::jsonb, x.salt, x.actor_name_digest, x.comment_digest, x.changes_digest, x.request_id, x.hash
    from unnest(
      \(records.map(\.entry.recordType)), \(records.map(\.entry.record)), \(records.map(\.seq)),
      \(records.map(\.entry.kind.rawValue)), \(records.map(\.entry.occurred)), \(records.map(\.definition)),
      \(records.map(\.version)), \(records.map(\.device)), \(records.map(\.entry.transition)),
      \(records.map(\.entry.from)), \(records.map(\.entry.to)), \(records.map(\.entry.actor.kind.rawValue)),
      \(records.map(\.entry.actor.id)), \(records.map(\.actorName)), \(records.map(\.entry.actor.onBehalfOf)),
      \(records.map(\.draft.comment)), \(records.map(\.changesText)), \(records.map(\.salt)),
      \(records.map(\.entry.actorNameDigest)), \(records.map(\.entry.commentDigest)),
      \(records.map(\.entry.changesDigest)), \(records.map(\.entry.request)), \(records.map(\.hash))
    ) x (record_type, record_id, seq, kind, occurred_at, definition_version, version, device_id, transition, from_status,
         to_status, actor_kind, actor_id, actor_name, on_behalf_of, comment, changes, salt, actor_name_digest,
         comment_digest, changes_digest, request_id, hash)
    """
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
