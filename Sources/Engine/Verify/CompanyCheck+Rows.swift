internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension CompanyCheck {
  /// Checks the records of a type against the feed, their timers and their references.
  mutating func checkRows(of type: RecordType, owner: UUID?) throws {
    let scope = owner.map { "\(type.name)/\($0.text)" } ?? type.name
    try checkFeed(of: type, scope: scope)
    try checkReferences(of: type)
    try checkTimers(of: type, scope: scope)
  }

  private mutating func checkFeed(of type: RecordType, scope: String) throws {
    // When old tombstones are removed from a scope of the feed, it gets a floor. Deleted records of the scope may
    // then be absent.
    try find(
      .feedMissing,
      type: type.name,
      """
      select t.id, 'it has no place in the feed'
      from \(type.table) t
      where t.company_id = \(company.id)
        and (
          t.deleted_at is null
          or not exists (
            select from core.sync_floor s where s.company_id = t.company_id and s.scope = \(scope))
        )
        and not exists (
          select from core.feed f
          where f.company_id = t.company_id and f.scope = \(scope) and f.record_id = t.id)
      """
    )
    try find(
      .feedVersion,
      type: type.name,
      """
      select t.id, 'the feed has version ' || f.version || ', the record ' || t.version
      from \(type.table) t
      join core.feed f on f.company_id = t.company_id and f.scope = \(scope) and f.record_id = t.id
      where t.company_id = \(company.id) and f.op <> 'leave' and f.version <> t.version
      """
    )
    try find(
      .feedOperation,
      type: type.name,
      """
      select t.id, 'the feed says ' || f.op || ', and it is ' ||
        case when t.deleted_at is null then 'living' else 'deleted' end
      from \(type.table) t
      join core.feed f on f.company_id = t.company_id and f.scope = \(scope) and f.record_id = t.id
      where t.company_id = \(company.id) and f.op <> 'leave'
        and (f.op = 'delete') <> (t.deleted_at is not null)
      """
    )
    try find(
      .feedWithoutRecord,
      type: type.name,
      """
      select f.record_id, 'the feed has it, and there is no such record'
      from core.feed f
      where f.company_id = \(company.id) and f.scope = \(scope) and f.op <> 'leave'
        and not exists (
          select from \(type.table) t where t.company_id = f.company_id and t.id = f.record_id)
      """
    )
  }

  /// Finds live records that reference a deleted record, unless the reference's delete rule is `keep`.
  private mutating func checkReferences(of type: RecordType) throws {
    for reference in type.definition.references where reference.onDelete != .keep {
      guard let target = types[reference.target] else { continue }
      try find(
        .danglingReference,
        type: type.name,
        """
        select t.id, \(reference.column + " is " + reference.target + " ") || p.id || ', which was deleted'
        from \(type.table) t
        join \(target.table) p on p.company_id = t.company_id and p.id = t.\(identifier: reference.column)
        where t.company_id = \(company.id) and t.deleted_at is null and p.deleted_at is not null
        """
      )
    }
  }

  /// Checks that each timer belongs to a record, to a history entry that led to a status, and to a transition
  /// by the system.
  ///
  /// A timer of an earlier status or of a deleted record is allowed. It has no effect and is removed when it
  /// falls due.
  private mutating func checkTimers(of type: RecordType, scope: String) throws {
    try find(
      .timerMisplaced,
      type: type.name,
      """
      select m.record_id, 'its timer ' || m.fire || case
          when t.id is null then ' is of no record'
          when h.seq is null then ' is of entry ' || m.entry_no || ', which led to no status'
          else ' is of no transition of the system'
        end
      from core.timer m
      join core.feed f on f.company_id = m.company_id and f.scope = \(scope) and f.record_id = m.record_id
      left join \(type.table) t on t.company_id = m.company_id and t.id = m.record_id
      left join core.history h
        on h.company_id = m.company_id and h.record_type = m.record_type and h.record_id = m.record_id
        and h.seq = m.entry_no and h.to_status is not null
      where m.company_id = \(company.id) and m.record_type = \(type.name)
        and (t.id is null or h.seq is null
          or not exists (
            select from core.workflow_edge e
            where e.record_type = m.record_type and e.transition = m.fire and e.by_system)
          and not exists (
            select from core.history n
            where n.company_id = m.company_id and n.record_type = m.record_type and n.record_id = m.record_id
              and n.seq > m.entry_no and n.to_status is not null))
      """
    )
  }
}
