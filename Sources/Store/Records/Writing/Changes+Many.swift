internal import FoundationEssentials
internal import Postgres

/// The statements for changes of many records.
extension Changes {
  func arm(_ timers: ArraySlice<NewTimer>, company: UUID) -> SQL {
    """
    insert into core.timer
      (company_id, record_type, record_id, owner_id, entry_no, fire, due_at, repeat_every, remaining)
    select \(company), x.record_type, x.record_id, x.owner_id, x.entry_no, x.fire, x.due_at,
      make_interval(secs => x.repeat_seconds), x.remaining
    from unnest(
      \(timers.map(\.recordType)), \(timers.map(\.recordID)), \(timers.map(\.owner)), \(timers.map(\.entryNo)),
      \(timers.map(\.fire)),
      \(timers.map(\.dueAt)), \(timers.map { $0.repeatSeconds.map(Double.init) }),
      \(timers.map { $0.remaining.map(Int32.init(clamping:)) })
    ) x (record_type, record_id, owner_id, entry_no, fire, due_at, repeat_seconds, remaining)
    """
  }

  /// Returns the statement that enqueues one job for each pair of an event and a webhook that subscribes to
  /// it.
  func deliver(_ events: ArraySlice<WebhookEvent>, context: WorkContext) -> SQL {
    """
    insert into core.job_queued (company_id, \(JobOutbox.columns))
    select \(context.company), core.job_lane(\(context.company), 'default', 'webhook.deliver', 2), gen_random_uuid(), 1,
      'default', 'webhook.deliver', 2, \(Int32(WebhookEvent.maxAttempts)), null, x.record_type, x.record_id,
      \(context.requestID.uuidString.lowercased()),
      jsonb_build_object('webhook_id', w.id, 'event', x.event, 'record_type', x.record_type,
                         'record_id', x.record_id, 'history_seq', x.seq,
                         'queued_at', extract(epoch from now())::bigint)
    from core.webhook w
    join unnest(
      \(events.map(\.event)), \(events.map(\.recordType)), \(events.map(\.recordID)), \(events.map(\.historySeq)),
      \(events.map(\.wildcard))
    ) x (event, record_type, record_id, seq, wildcard)
      on x.event = any (w.events) or x.wildcard = any (w.events)
    where w.company_id = \(context.company) and w.active
    """
  }
}

extension Array {
  /// Returns the elements in groups of at most `size`, each for one statement.
  package func chunked(_ size: Int = 1_000) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
