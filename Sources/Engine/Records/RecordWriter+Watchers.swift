internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordWriter {
  /// Enqueues a job that notifies a record's watchers of a transition, unless there are none.
  ///
  /// The creator counts as a watcher of transitions by other members, unless an effect already notifies the
  /// creator.
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
