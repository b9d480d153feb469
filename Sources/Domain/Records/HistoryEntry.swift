package import FoundationEssentials

/// A change of a record, in the form that its hash covers.
///
/// Texts about people are included only as salted digests, which the caller computes. If such a text and its
/// salt are deleted, the chain is still valid.
package struct HistoryEntry: Sendable, Hashable {
  /// The company.
  package let company: UUID
  /// The record type.
  package let recordType: String
  /// The record.
  package let record: UUID
  /// The number of the entry in the record's history, from 1 without gaps.
  package let seq: Int64
  /// The kind of change.
  package let kind: Kind
  /// The time of the change, by the database's clock.
  package let occurred: Instant
  /// The version of the workflow that applied; nil if none did.
  package let definitionVersion: Int?
  /// The transition; nil for another kind of change.
  package let transition: String?
  /// The status before the change; nil if the entry records none.
  package let from: String?
  /// The status after the change; nil if the entry records none.
  package let to: String?
  /// The actor. Of the actor's name, only the digest is covered by the hash.
  package let actor: Actor
  /// The salted digest of the actor's name; empty without a name.
  package let actorNameDigest: [UInt8]
  /// The salted digest of the comment; empty without a comment.
  package let commentDigest: [UInt8]
  /// The salted digest of the changed fields; empty without changes.
  package let changesDigest: [UInt8]
  /// The request that caused the change; nil if there was none.
  package let request: UUID?

  /// The kinds of change to a record.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case create, edit, delete, restore, transition, `import`
    /// The record was moved to another version of its workflow.
    case migrate
  }

  /// Creates an entry.
  package init(
    company: UUID,
    recordType: String,
    record: UUID,
    seq: Int64,
    kind: Kind,
    occurred: Instant,
    definitionVersion: Int? = nil,
    transition: String? = nil,
    from: String? = nil,
    to: String? = nil,
    actor: Actor,
    actorNameDigest: [UInt8] = [],
    commentDigest: [UInt8] = [],
    changesDigest: [UInt8] = [],
    request: UUID? = nil
  ) {
    self.company = company
    self.recordType = recordType
    self.record = record
    self.seq = seq
    self.kind = kind
    self.occurred = occurred
    self.definitionVersion = definitionVersion
    self.transition = transition
    self.from = from
    self.to = to
    self.actor = actor
    self.actorNameDigest = actorNameDigest
    self.commentDigest = commentDigest
    self.changesDigest = changesDigest
    self.request = request
  }

  /// Returns the same entry with another number, to check whether an entry was moved.
  package func numbered(_ seq: Int64) -> HistoryEntry {
    HistoryEntry(
      company: company,
      recordType: recordType,
      record: record,
      seq: seq,
      kind: kind,
      occurred: occurred,
      definitionVersion: definitionVersion,
      transition: transition,
      from: from,
      to: to,
      actor: actor,
      actorNameDigest: actorNameDigest,
      commentDigest: commentDigest,
      changesDigest: changesDigest,
      request: request
    )
  }

  /// Returns the bytes to hash: a version mark, the previous hash, and every field.
  ///
  /// A presence byte and a length of eight bytes precede the previous hash and every field, so that different
  /// entries never have the same bytes.
  package func canonicalBytes(after previousHash: [UInt8]) -> [UInt8] {
    var bytes = Array("fettle.history.1".utf8)
    bytes.reserveCapacity(512)
    func append(_ field: (some Collection<UInt8>)?) {
      bytes.append(field == nil ? 0 : 1)
      withUnsafeBytes(of: Int64(field?.count ?? 0).bigEndian) { bytes.append(contentsOf: $0) }
      if let field { bytes.append(contentsOf: field) }
    }
    func append(text: String?) { append(text?.utf8) }
    func append(value: (some BitwiseCopyable)?) {
      guard let value else { return append([UInt8]?.none) }
      withUnsafeBytes(of: value) { append($0) }
    }
    func append(id: UUID?) { append(value: id?.uuid) }
    func append(number: Int64?) { append(value: number?.bigEndian) }
    append(previousHash)
    append(id: company)
    append(text: recordType)
    append(id: record)
    append(number: seq)
    append(text: kind.rawValue)
    append(number: occurred.microseconds)
    append(number: definitionVersion.map(Int64.init))
    append(text: transition)
    append(text: from)
    append(text: to)
    append(text: actor.kind.rawValue)
    append(id: actor.id)
    append(actorNameDigest)
    append(id: actor.onBehalfOf)
    append(commentDigest)
    append(changesDigest)
    append(id: request)
    return bytes
  }
}
