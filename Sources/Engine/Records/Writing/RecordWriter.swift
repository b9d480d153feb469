package import Domain
package import FoundationEssentials
internal import Postgres
package import Store

/// Converts a decision to the rows that a unit of work writes.
package struct RecordWriter {
  let type: RecordType
  let acting: ActingContext
  let access: Access

  package init(type: RecordType, acting: ActingContext, access: Access) {
    self.type = type
    self.acting = acting
    self.access = access
  }

  /// Adds the rows of a new record.
  ///
  /// - Parameter kind: `import` for an imported record, which arms no timers.
  package func create(
    id: UUID,
    fields: JSONObject,
    kind: HistoryEntry.Kind = .create,
    in work: inout Work
  ) throws -> RecordAnswer {
    let start = try type.workflow.map {
      try Kernel.begin(under: $0, at: access.now)
    }
    let record = history(
      HistoryDraft(kind: kind, to: start?.status, changes: fields.asChanges),
      id: id,
      after: nil,
      work
    )
    let origin = origin(work)
    let status = start.map { (name: $0.status, category: $0.category) }
    write(.insert(origin), id, by: acting.user, record, status: status, fields, in: &work)
    work.changes.history.append(record)
    if kind == .create { tellWebhooks(.created, id: id, seq: record.seq, in: &work) }
    if kind == .create { arm(start?.timers ?? [], id: id, owner: acting.user, entry: record.seq, in: &work) }
    try finish(id: id, createdBy: acting.user, version: 1, in: &work)
    return RecordAnswer(
      type: type.name,
      id: id,
      number: fields["number"]?.string,
      version: 1,
      status: start?.status
    )
  }

  /// Adds the rows of a decided transition, with its effects and timers.
  ///
  /// - Parameter before: the record's current fields.
  func transition(
    id: UUID,
    plan: TransitionPlan,
    from locked: LockedRow,
    before: JSONObject,
    in work: inout Work
  ) throws -> RecordAnswer {
    let changes = JSONObject(plan.set.map { ($0.column, .array([before[$0.column] ?? .null, $0.value])) })
    let record = history(
      HistoryDraft(
        kind: .transition,
        transition: plan.transition,
        from: plan.from,
        to: plan.to,
        comment: plan.comment,
        changes: changes
      ),
      id: id,
      after: locked,
      version: plan.version,
      work
    )
    let status = plan.reentersStatus ? (name: plan.to, category: plan.category) : nil
    let values = JSONObject(plan.set.map { ($0.column, $0.value) })
    let kind = RecordWrite.Kind.update(bumps: plan.bumpsVersion)
    write(kind, id, by: acting.actor.person, record, status: status, values, in: &work)
    work.changes.history.append(record)
    arm(plan.timers, id: id, owner: locked.createdBy, entry: record.seq, in: &work)
    EffectWriter(type: type, acting: acting).write(plan.effects, id: id, record: record, in: &work)
    tellWebhooks(.transitioned, id: id, seq: record.seq, in: &work)
    if plan.bumpsVersion {
      tellWatchers(plan, of: locked, id: id, record: record, in: &work)
      try finish(id: id, createdBy: locked.createdBy, version: plan.version, in: &work)
    }
    return RecordAnswer(
      type: type.name,
      id: id,
      number: before["number"]?.string,
      version: plan.version,
      status: plan.to
    )
  }

  package func edit(
    id: UUID,
    fields: JSONObject,
    from locked: LockedRow,
    before: JSONObject,
    in work: inout Work
  ) throws -> RecordAnswer {
    let changed = fields.members.filter { $0.value != before[$0.key] ?? .null }
    let changes = JSONObject(changed.map { ($0.key, .array([before[$0.key] ?? .null, $0.value])) })
    let record = history(HistoryDraft(kind: .edit, changes: changes), id: id, after: locked, work)
    write(.update(bumps: true), id, by: acting.actor.person, record, status: nil, fields, in: &work)
    work.changes.history.append(record)
    tellWebhooks(.updated, id: id, seq: record.seq, in: &work)
    try finish(id: id, createdBy: locked.createdBy, version: locked.version + 1, in: &work)
    return RecordAnswer(
      type: type.name,
      id: id,
      number: before["number"]?.string,
      version: locked.version + 1,
      status: locked.status
    )
  }

  /// Adds the row of the record.
  private func write(
    _ kind: RecordWrite.Kind,
    _ id: UUID,
    by user: UUID?,
    _ record: HistoryRecord,
    status: (name: String, category: StateCategory)?,
    _ values: JSONObject,
    in work: inout Work
  ) {
    work.changes.write(
      RecordWrite(
        kind,
        type: type,
        id: id,
        user: user,
        now: access.now,
        history: record.head,
        status: status,
        values: values
      ),
      company: acting.company.id
    )
  }

  /// - Parameter version: the version of the record after the change; nil for the next one.
  func history(
    _ draft: HistoryDraft,
    id: UUID,
    after locked: LockedRow?,
    version: Int64? = nil,
    _ work: Work
  ) -> HistoryRecord {
    HistoryRecord(
      draft,
      type: type.name,
      id: id,
      definition: type.workflow?.version,
      previous: locked.map { HistoryHead(seq: $0.historySeq, hash: $0.historyHash) },
      version: version ?? (locked?.version ?? 0) + 1,
      device: origin(work)?.device,
      at: access.now,
      actorName: acting.actor.name ?? access.userName,
      context: acting.context(requestID: work.context.requestID)
    )
  }

  /// The device whose change is written. A follow-up of a device's change is the engine's.
  private func origin(_ work: Work) -> RecordOrigin? { work.depth == 0 ? work.origin : nil }

  func arm(_ timers: [ArmedTimer], id: UUID, owner: UUID?, entry: Int64, in work: inout Work) {
    for timer in timers {
      let definition = type.workflow?.state(timer.state)?.timers.first { $0.fire == timer.fire }
      work.changes.timers.append(
        NewTimer(
          recordType: type.name,
          recordID: id,
          owner: type.definition.scope == .owner ? owner : nil,
          entryNo: entry,
          fire: timer.fire,
          dueAt: timer.due,
          repeatSeconds: definition?.interval.map { $0.microseconds / 1_000_000 },
          remaining: definition?.limit
        )
      )
    }
  }

  /// Adds the rows common to every visible change: the feed, and for an operator the audit.
  ///
  /// - Throws: `internal` for a private record without a creator.
  func finish(
    id: UUID,
    createdBy creator: UUID?,
    version: Int64,
    operation: FeedChange.Operation = .put,
    in work: inout Work
  ) throws(DomainError) {
    let owner = try type.feedOwner(creator)
    work.changes.feed.append(
      FeedChange(
        recordType: type.name,
        recordID: id,
        owner: owner,
        operation: operation,
        version: version
      )
    )
    guard acting.actor.kind == .operator, let last = work.changes.history.last else { return }
    work.changes.audit.append(
      AuditEntry(
        action: "record.\(last.draft.transition ?? last.draft.kind.rawValue)",
        subjectType: type.name,
        subjectID: id.text
      )
    )
  }
}

extension JSONObject {
  /// The members as changes whose old value is null.
  fileprivate var asChanges: JSONObject {
    JSONObject(members.map { ($0.key, .array([.null, $0.value])) })
  }
}
