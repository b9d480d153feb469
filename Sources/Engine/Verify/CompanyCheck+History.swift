internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension CompanyCheck {
  /// Recomputes every hash and replays every history, in primary key order and in bounded memory. A quick run
  /// checks only the newest entries.
  mutating func checkChains(of type: RecordType, owner: UUID?) throws {
    if scope.isQuick { return try checkHeads(of: type, owner: owner) }
    var audit: RecordAudit?
    var findings: [VerifyFinding] = []
    var broken: [(id: UUID, found: HistoryChain.Break)] = []
    var (records, count) = (0, 0)
    func close() {
      guard var done = audit else { return }
      records += 1
      let found = done.finish()
      if let cut = done.broken { broken.append((done.id, cut)) } else { findings += found }
    }
    let before = report.entries
    let company = company
    try tx.forEach(entries(of: type, owner: owner), as: AuditedEntry.self) { row in
      if audit?.id != row.recordID {
        close()
        audit = RecordAudit(company: company, type: type.name, id: row.recordID, record: row.record)
      }
      audit?.follow(row.entry)
      count += 1
      if count % 1000 == 0 { progress(before + count) }
    }
    close()
    report.records += records
    report.entries += count
    for finding in findings { report.add(finding) }
    for (id, found) in broken { report.add(try diagnose(found, type: type, id: id)) }
    try checkEmptyChains(of: type)
  }

  private func entries(of type: RecordType, owner: UUID?) -> SQL {
    let only: SQL = scope.record.map { "and h.record_id = \($0)" } ?? ""
    guard let owner else {
      return """
        select h.record_id, \(AuditedRecord.columns(type)), \(StoredEntry.columns)
        from core.history h
        left join \(type.table) t on t.company_id = h.company_id and t.id = h.record_id
        where h.company_id = \(company.id) and h.record_type = \(type.name) \(only)
        order by h.record_id, h.seq
        """
    }
    // The feed contains the owner of a private record even if the record's row is gone; the table contains
    // the record even if the feed has forgotten it.
    return """
      select h.record_id, \(AuditedRecord.columns(type)), \(StoredEntry.columns)
      from (
        select f.record_id from core.feed f
        where f.company_id = \(company.id) and f.scope = \("\(type.name)/\(owner.text)") and f.op <> 'leave'
        union
        select r.id from \(type.table) r where r.company_id = \(company.id)
      ) o
      join core.history h
        on h.company_id = \(company.id) and h.record_type = \(type.name) and h.record_id = o.record_id
      left join \(type.table) t on t.company_id = h.company_id and t.id = h.record_id
      where true \(only)
      order by h.record_id, h.seq
      """
  }

  /// Returns the finding about a break, diagnosed from the whole chain.
  private func diagnose(_ found: HistoryChain.Break, type: RecordType, id: UUID) throws -> VerifyFinding {
    let audit = RecordAudit(company: company, type: type.name, id: id, record: nil)
    let stored = try tx.rows(
      StoredEntry.query(company: company.id, type: type.name, id: id),
      as: StoredEntry.self
    )
    let links = stored.compactMap { try? $0.link(company: company.id, type: type.name, id: id) }
    return audit.finding(HistoryChain.diagnose(found, in: links, using: SHA256.hash))
  }

  /// Finds records without any history.
  private mutating func checkEmptyChains(of type: RecordType) throws {
    let only: SQL = scope.record.map { "and t.id = \($0)" } ?? ""
    try find(
      .historyMissing,
      type: type.name,
      """
      select t.id, 'its history of ' || t.history_seq || ' entries is gone'
      from \(type.table) t
      where t.company_id = \(company.id) \(only)
        and not exists (
          select from core.history h
          where h.company_id = t.company_id and h.record_type = \(type.name) and h.record_id = t.id)
      """
    )
  }

  /// Checks only the newest history entry of each record: it must match the head that the record stores, and
  /// the newest status in history must be the record's.
  private mutating func checkHeads(of type: RecordType, owner: UUID?) throws {
    let status: SQL = type.workflow == nil ? "null::text" : "t.status"
    let only: SQL = scope.record.map { "and t.id = \($0)" } ?? ""
    report.records += try tx.value(
      "select count(*) from \(type.table) t where t.company_id = \(company.id) \(only)",
      as: Int.self
    )
    try find(
      .historyMissing,
      type: type.name,
      """
      select t.id, case
          when h.seq is null then 'its history of ' || t.history_seq || ' entries is gone'
          when h.seq <> t.history_seq then
            'its history ends with entry ' || h.seq || ', and it knows of ' || t.history_seq
          when h.hash <> t.history_hash then 'the last entry of its history is not the one it knows'
          else 'it is ' || \(status) || ', and its history leads to ' || s.to_status
        end
      from \(type.table) t
      left join lateral (
        select h.seq, h.hash from core.history h
        where h.company_id = t.company_id and h.record_type = \(type.name) and h.record_id = t.id
        order by h.seq desc
        limit 1
      ) h on true
      left join lateral (
        select h.to_status from core.history h
        where h.company_id = t.company_id and h.record_type = \(type.name) and h.record_id = t.id
          and h.to_status is not null
        order by h.seq desc
        limit 1
      ) s on true
      where t.company_id = \(company.id) \(only)
        and (h.seq is distinct from t.history_seq or h.hash is distinct from t.history_hash
          or s.to_status is distinct from \(status))
      """
    )
  }

  /// Finds histories of private records without a feed row or, if the feed has forgotten old changes, without
  /// a record; and histories of types that are not installed.
  mutating func checkLostChains(of types: [RecordType]) throws {
    let trimmed = try tx.rows(
      "select s.scope from core.sync_floor s where s.company_id = \(company.id)",
      String.self
    )
    for type in types where type.definition.scope == .owner {
      guard !trimmed.contains(where: { $0.hasPrefix("\(type.name)/") }) else {
        try checkOrphans(of: type)
        continue
      }
      try find(
        .feedMissing,
        type: type.name,
        """
        select h.record_id, 'it has a history and no place in the feed'
        from core.history_chains() h
        where h.record_type = \(type.name)
          and not exists (
            select from core.feed f
            where f.company_id = \(company.id) and f.record_type = h.record_type and f.record_id = h.record_id
              and starts_with(f.scope, \(type.name + "/")))
        """
      )
    }
    let names = types.map(\.name)
    try find(
      .historyWithoutRecord,
      type: nil,
      """
      select h.record_id, 'a history of ' || h.record_type || ', which is no type that is installed'
      from core.history_chains() h
      where h.record_type <> all (\(names)) and \(scope.type == nil)
      """
    )
  }

  /// Finds histories of private records that no member sees and that the feed does not have.
  private mutating func checkOrphans(of type: RecordType) throws {
    var seen: Set<UUID> = []
    for case let owner? in try owners(of: type) {
      try tx.act(for: owner)
      let ids = "select t.id from \(type.table) t where t.company_id = \(company.id)" as SQL
      seen.formUnion(try tx.rows(ids, UUID.self))
    }
    try tx.execute("select set_config('fettle.user_id', '', true)")
    let chains = try tx.rows(
      """
      select h.record_id from core.history_chains() h
      where h.record_type = \(type.name)
        and not exists (
          select from core.feed f
          where f.company_id = \(company.id) and f.record_type = h.record_type and f.record_id = h.record_id)
      order by 1
      """,
      UUID.self
    )
    for id in chains where !seen.contains(id) {
      report.add(
        VerifyFinding(
          .historyWithoutRecord,
          company: company.slug,
          type: type.name,
          record: id,
          "its record is gone"
        )
      )
    }
  }
}
