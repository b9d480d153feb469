internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordWriter {
  /// Adds the rows that turn a locked record into a tombstone.
  func delete(id: UUID, from locked: LockedRow, comment: String?, in work: inout Work) throws
    -> RecordAnswer
  {
    let draft = HistoryDraft(kind: .delete, from: locked.status, comment: comment)
    let record = history(draft, id: id, after: locked, work)
    work.changes.rows.append(
      type.setDeleted(
        access.now,
        company: acting.company.id,
        id: id,
        user: acting.actor.person,
        now: access.now,
        history: record.head
      )
    )
    work.changes.history.append(record)
    tellWebhooks(.deleted, id: id, seq: record.seq, in: &work)
    try finish(
      id: id,
      createdBy: locked.createdBy,
      version: locked.version + 1,
      operation: .delete,
      in: &work
    )
    return RecordAnswer(type: type.name, id: id, version: locked.version + 1, status: locked.status)
  }

  /// Adds the rows that restore a locked tombstone. The record enters its status again, which arms the
  /// timers.
  func restore(id: UUID, from locked: LockedRow, comment: String?, in work: inout Work) throws -> RecordAnswer
  {
    let record = history(
      HistoryDraft(kind: .restore, to: locked.status, comment: comment),
      id: id,
      after: locked,
      work
    )
    work.changes.rows.append(
      type.setDeleted(
        nil,
        company: acting.company.id,
        id: id,
        user: acting.actor.person,
        now: access.now,
        history: record.head
      )
    )
    work.changes.history.append(record)
    if let state = locked.status.flatMap({ type.workflow?.state($0) }) {
      let now = access.now
      arm(ArmedTimer.arming(state, at: now), id: id, owner: locked.createdBy, entry: record.seq, in: &work)
    }
    tellWebhooks(.restored, id: id, seq: record.seq, in: &work)
    try finish(id: id, createdBy: locked.createdBy, version: locked.version + 1, in: &work)
    return RecordAnswer(type: type.name, id: id, version: locked.version + 1, status: locked.status)
  }
}
