package import FoundationEssentials

/// One thing that happened to a record, as its hash covers it.
///
/// Personal text is there only as salted digests that the caller computes, so that a person can be erased, salt
/// and text, and the chain still verifies.
package struct HistoryEntry: Sendable, Hashable {
  /// The company.
  package let company: UUID
  /// The record type.
  package let recordType: String
  /// The record.
  package let record: UUID
  /// The number within the record, from 1 without gaps.
  package let seq: Int64
  /// Kind of change.
  package let kind: Kind
  /// Time of the change, by the database's clock.
  package let occurred: Instant
  /// The version of the workflow that was followed.
  package let definitionVersion: Int?
  /// The transition, if one was taken.
  package let transition: String?
  /// The status before.
  package let from: String?
  /// The status after.
  package let to: String?
  /// Actor; the personal name is covered by its digest only.
  package let actor: Actor
  /// The salted digest of the actor's name; empty when there is none.
  package let actorNameDigest: [UInt8]
  /// The salted digest of the comment; empty when there is none.
  package let commentDigest: [UInt8]
  /// The salted digest of the fields that changed; empty when none did.
  package let changesDigest: [UInt8]
  /// The request that caused it.
  package let request: UUID?

  /// Kinds of change to a record.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case create, edit, delete, restore, transition, `import`
    /// Moved by the activation of another version of its workflow.
    case migrate
  }

  /// Puts an entry together.
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

  /// The same entry under another number, to find out whether it was moved.
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

  /// What is hashed: a version mark, then every field and the hash before, each with a byte that says whether it
  /// is there and its length in eight bytes, so that no two entries run together into the same bytes.
  package func canonicalBytes(after previousHash: [UInt8]) -> [UInt8] {
    var bytes = Array("fettle.history.1".utf8)
    bytes.reserveCapacity(512)
    func append(_ field: [UInt8]?) {
      bytes.append(field == nil ? 0 : 1)
      append(integer: Int64(field?.count ?? 0))
      bytes += field ?? []
    }
    func append(integer value: Int64) {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    func append(text: String?) { append(text.map { Array($0.utf8) }) }
    func append(id: UUID?) { append(id.map { id in withUnsafeBytes(of: id.uuid) { Array($0) } }) }
    func append(number: Int64?) {
      append(number.map { value in withUnsafeBytes(of: value.bigEndian) { Array($0) } })
    }
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
