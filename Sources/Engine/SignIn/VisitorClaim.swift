internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Transfers everything private of a visitor to a member, once and in one transaction.
///
/// The catalogue says what is private: the records of every type with `scope: owner`, of all installed apps. With the
/// records go their comments, files, uploads and timers, and the visitor's devices with what they have sent.
package struct VisitorClaim: Sendable {
  private let records: Records

  package init(_ records: Records) {
    self.records = records
  }

  /// Transfers a visitor's private records to the acting member, who is a member of the visitor's company.
  ///
  /// The caller must have verified, by the visitor's secret, that the member was this visitor. The visitor's
  /// membership ends, so that a second claim is refused. The visitor's share links stop working.
  ///
  /// - Returns: the number of transferred records.
  /// - Throws: `unauthenticated` without a member; `wrong_state` if the user is not an active visitor of the
  ///   company, for example after a claim.
  package func claim(_ acting: ActingContext, visitor: UUID) async throws -> Int {
    guard acting.user != nil else {
      throw DomainError(
        .unauthenticated,
        "only a member can claim the records of a visitor",
        hint: "add --as MEMBER"
      )
    }
    return try await records.perform(acting) { work in
      guard let count = try Self.take(records, acting, visitor, &work) else {
        throw DomainError(.wrongState, "visitor not found, or already claimed")
      }
      return count
    }
  }

  /// Ends the visitor's membership, sessions, tokens and account, and transfers everything private to the acting
  /// member, within a unit of work.
  ///
  /// - Returns: the number of transferred records; nil if the user is not an active visitor of the company.
  static func take(
    _ records: Records,
    _ acting: ActingContext,
    _ visitor: UUID,
    _ work: inout Work
  ) throws -> Int? {
    guard let member = acting.user else { throw DomainError(.unauthenticated) }
    let company = acting.company.id
    let (access, left) = try work.read { pipeline in
      pipeline.execute(
        """
        update core.membership m set status = 'removed', updated_at = now()
        from core.app_user u
        where m.company_id = \(company) and m.user_id = \(visitor) and m.status = 'active'
          and u.id = m.user_id and u.kind = 'visitor'
        """
      )
    }
    _ = try Rights(acting, access)
    guard try left.affected == 1, visitor != member else { return nil }
    let tx = work.transaction
    let types = records.catalogue.types.filter { $0.definition.scope == .owner }
    let found = try claimed(types, of: visitor, company: company, in: work)
    try tx.act(for: member)
    var batch = ClaimBatch(acting: acting, from: visitor, to: member, access: access)
    for (type, rows) in found {
      for row in rows { batch.add(row, type, in: &work) }
    }
    try batch.finish(in: &work)
    try SessionStore.end(of: visitor, because: "claimed", tx)
    try TokenStore.revokeAll(company: company, user: visitor, tx)
    try tx.execute("select core.end_visitor(\(visitor))")
    let detail: JSONObject = ["records": .integer(batch.count), "user": .string(member.text)]
    work.changes.audit.append(
      AuditEntry(
        action: "visitor.claimed",
        subjectType: "member",
        subjectID: visitor.text,
        detail: JSON(detail)
      )
    )
    return batch.count
  }

  /// Locks and returns all records of the visitor, including tombstones.
  private static func claimed(
    _ types: [RecordType],
    of visitor: UUID,
    company: UUID,
    in work: Work
  ) throws -> [(RecordType, [ClaimedRow])] {
    try work.transaction.act(for: visitor)
    let tickets = try work.readMore { pipeline in
      types.map { type in
        pipeline.rows(
          """
          select t.id, t.version, t.history_seq, t.history_hash, t.deleted_at is not null
          from \(type.table) t
          where t.company_id = \(company) and t.created_by = \(visitor)
          order by t.id
          for update
          """,
          as: ClaimedRow.self
        )
      }
    }
    return try zip(types, tickets).map { ($0, try $1.all) }
  }
}

/// A record to transfer.
private struct ClaimedRow: RowDecodable, Sendable {
  let id: UUID
  let version: Int64
  let head: HistoryHead
  let isDeleted: Bool

  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    version = try row.next()
    let seq: Int64 = try row.next()
    head = HistoryHead(seq: seq, hash: try row.next())
    isDeleted = try row.next()
  }
}

/// The records to transfer, with the history and feed entries of each.
private struct ClaimBatch {
  let acting: ActingContext
  let from: UUID
  let to: UUID
  let access: Access
  private var types: [String] = []
  private var ids: [UUID] = []
  private var seqs: [Int64] = []
  private var hashes: [[UInt8]] = []

  init(acting: ActingContext, from: UUID, to: UUID, access: Access) {
    self.acting = acting
    self.from = from
    self.to = to
    self.access = access
  }

  var count: Int { ids.count }

  mutating func add(_ row: ClaimedRow, _ type: RecordType, in work: inout Work) {
    let record = HistoryRecord(
      HistoryDraft(kind: .edit, changes: ["created_by": .strings([from.text, to.text])]),
      type: type.name,
      id: row.id,
      definition: type.workflow?.version,
      previous: row.head,
      version: row.version + 1,
      at: access.now,
      actorName: acting.actor.name ?? access.userName,
      context: work.context
    )
    types.append(type.name)
    ids.append(row.id)
    seqs.append(record.seq)
    hashes.append(record.hash)
    work.changes.history.append(record)
    for (owner, operation) in [(from, FeedChange.Operation.leave), (to, row.isDeleted ? .delete : .put)] {
      work.changes.feed.append(
        FeedChange(
          recordType: type.name,
          recordID: row.id,
          owner: owner,
          operation: operation,
          version: row.version + 1
        )
      )
    }
  }

  /// Transfers the collected records, and everything that belongs to the visitor's private records.
  ///
  /// - Throws: `internal` unless the entry function transferred all of them.
  func finish(in work: inout Work) throws {
    let moved = try work.transaction.value(
      """
      select core.claim_records(\(acting.company.id), \(from), \(to), \(types), \(ids), \(seqs), \(hashes))
      """,
      as: Int64.self
    )
    guard moved == Int64(count) else { throw DomainError(.internal, "not all records were transferred") }
  }
}
