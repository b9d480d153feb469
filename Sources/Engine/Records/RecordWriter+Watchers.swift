internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordWriter {
  /// Leaves a job that tells those who watch a record of a transition; none where nobody does.
  ///
  /// Whoever made the record watches what people do with it, unless the transition tells them anyway.
  func tellWatchers(
    _ plan: TransitionPlan,
    of locked: LockedRow,
    id: UUID,
    record: HistoryRecord,
    in work: inout Work
  ) {
    let tellsCreator = plan.effects.contains { effect in
      if case .notify(.creator, _) = effect { true } else { false }
    }
    let isCreatorConcerned =
      locked.createdBy != nil && locked.createdBy != acting.user && acting.actor.kind != .system
      && !tellsCreator
    guard locked.isWatched || isCreatorConcerned else { return }
    let payload: JSONObject = [
      "record_type": .string(type.name), "record_id": .string(id.text), "history_seq": .integer(record.seq),
    ]
    work.changes.jobs.append(
      NewJob(id: work.newID(), kind: "watchers.tell", payload: JSON(payload), cause: (type.name, id))
    )
  }
}
