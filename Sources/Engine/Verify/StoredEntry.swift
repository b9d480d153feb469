internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// A history row with all fields covered by its hash.
struct StoredEntry: RowDecodable, Sendable {
  let seq: Int64
  let kind: String
  let occurred: Instant
  let definition: Int32?
  let transition: String?
  let from: String?
  let to: String?
  let actorKind: String
  let actorID: UUID?
  let actorName: String
  let onBehalfOf: UUID?
  let comment: String?
  let changes: Changes
  let salt: [UInt8]
  let digests: (actorName: [UInt8], comment: [UInt8], changes: [UInt8])
  let request: UUID?
  let hash: [UInt8]
  /// The digest of the erasure of the entry's texts, and the digest that covers the entry as it is; nil if there was none.
  let erasure: (stored: [UInt8], now: [UInt8])?

  /// Changed columns: as the database gives them, or as an archive does.
  enum Changes: Sendable {
    case text(JSON)
    case value(JSONValue)
  }

  init(row: inout RowReader) throws(PostgresError) {
    seq = try row.next()
    kind = try row.next()
    occurred = try row.next()
    definition = try row.next()
    transition = try row.next()
    from = try row.next()
    to = try row.next()
    actorKind = try row.next()
    actorID = try row.next()
    actorName = try row.next()
    onBehalfOf = try row.next()
    comment = try row.next()
    changes = .text(try row.next())
    salt = try row.next()
    digests = (actorName: try row.next(), comment: try row.next(), changes: try row.next())
    request = try row.next()
    hash = try row.next()
    let stored: [UInt8]? = try row.next()
    let now: [UInt8]? = try row.next()
    erasure = stored.flatMap { stored in now.map { (stored: stored, now: $0) } }
  }

  /// The columns that ``init(row:)`` reads, of a table aliased `h`.
  static let columns: SQL = """
    h.seq, h.kind, h.occurred_at, h.definition_version, h.transition, h.from_status, h.to_status,
      h.actor_kind, h.actor_id, h.actor_name, h.on_behalf_of, h.comment, h.changes, h.salt,
      h.actor_name_digest, h.comment_digest, h.changes_digest, h.request_id, h.hash,
      case when octet_length(h.salt) = 0 then (
        select x.covers from core.history_erasure x
        where x.company_id = h.company_id and x.record_type = h.record_type and x.record_id = h.record_id
          and x.seq = h.seq
      ) end,
      case when octet_length(h.salt) = 0 then core.erasure_cover(h) end
    """

  /// Returns the query for the entries of one record, in order.
  static func query(company: UUID, type: String, id: UUID) -> SQL {
    """
    select \(columns)
    from core.history h
    where h.company_id = \(company) and h.record_type = \(type) and h.record_id = \(id)
    order by h.seq
    """
  }

  /// True if the entry has lost its texts, and no erasure covers them.
  ///
  /// The digests say that there were texts: an entry without any has no digest. An erasure covers the entry in which it
  /// was made, so that its row means nothing at another one.
  var isBlanked: Bool {
    let covered = digests.actorName + digests.comment + digests.changes
    return salt.isEmpty && !covered.isEmpty && !isErased
  }

  /// True if an erasure covers the entry as it is. Its hash still links the entries around it, and proves nothing of it.
  private var isErased: Bool { erasure.map { $0.stored == $0.now } ?? false }

  /// Returns the entry in the form that its hash covers, and the hash.
  ///
  /// - Throws: `history_broken` for an unknown kind or an invalid actor.
  func link(company: UUID, type: String, id: UUID) throws -> HistoryChain.Link {
    guard let kind = HistoryEntry.Kind(rawValue: kind), let actor else {
      throw DomainError(.historyBroken, "entry \(seq) of this history has an unknown kind or actor")
    }
    let entry = covered(
      company: company,
      type: type,
      id: id,
      kind,
      actor,
      (
        digest(of: actorName, stored: digests.actorName), digest(of: comment, stored: digests.comment),
        digest(of: try changesText(), stored: digests.changes)
      )
    )
    return HistoryChain.Link(entry: entry, hash: hash, isErased: isErased)
  }

  /// Returns the entry in the form that a new hash covers, and the digests of its texts as they are now, for a history whose
  /// ids were replaced. What was erased keeps its digests.
  ///
  /// - Throws: `history_broken` for an unknown kind or an invalid actor.
  func resealed(company: UUID, type: String, id: UUID) throws -> (HistoryEntry, ([UInt8], [UInt8], [UInt8])) {
    guard let kind = HistoryEntry.Kind(rawValue: kind), let actor else {
      throw DomainError(.historyBroken, "entry \(seq) of this history has an unknown kind or actor")
    }
    let now =
      salt.isEmpty
      ? (digests.actorName, digests.comment, digests.changes)
      : (
        HistoryDigest.of(actorName, salt), HistoryDigest.of(comment, salt),
        HistoryDigest.of(try changesText(), salt)
      )
    return (covered(company: company, type: type, id: id, kind, actor, now), now)
  }

  private func covered(
    company: UUID,
    type: String,
    id: UUID,
    _ kind: HistoryEntry.Kind,
    _ actor: Actor,
    _ digests: ([UInt8], [UInt8], [UInt8])
  ) -> HistoryEntry {
    HistoryEntry(
      company: company,
      recordType: type,
      record: id,
      seq: seq,
      kind: kind,
      occurred: occurred,
      definitionVersion: definition.map(Int.init),
      transition: transition,
      from: from,
      to: to,
      actor: actor,
      actorNameDigest: digests.0,
      commentDigest: digests.1,
      changesDigest: digests.2,
      request: request
    )
  }

  /// The text of the changes that their digest covers; nil if there are none.
  private func changesText() throws -> String? {
    let changes =
      switch changes {
      case .text(let text): try text.value()
      case .value(let value): value
      }
    return changes.object?.isEmpty == false ? changes.canonicalText : nil
  }

  /// Returns the digest that the hash covers in place of a personal text.
  ///
  /// The digest is computed from the text and its salt. An erasure removes both; the stored digest is then
  /// returned. If the computed and the stored digest differ, a value is returned that cannot match the hash.
  private func digest(of text: String?, stored: [UInt8]) -> [UInt8] {
    if salt.isEmpty && (text ?? "").isEmpty { return stored }
    let computed = HistoryDigest.of(text, salt)
    // Longer than a digest: the stored digest alone would match where a text was emptied.
    return computed == stored ? computed : computed + stored + [0]
  }

  private var actor: Actor? {
    switch (Actor.Kind(rawValue: actorKind), actorID, onBehalfOf) {
    case (.member?, let id?, nil): .member(id)
    case (.device?, let id?, let user?): .device(id, of: user)
    case (.token?, let id?, let user?): .token(id, of: user)
    case (.operator?, nil, let user): .operator(actorName, as: user)
    case (.system?, nil, nil): .system(actorName)
    default: nil
    }
  }
}
