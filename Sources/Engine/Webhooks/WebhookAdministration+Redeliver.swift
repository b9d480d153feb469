internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

extension WebhookAdministration {
  /// The most events that one call delivers again.
  package static let mostRedeliveries = 1_000

  /// Enqueues again the events whose newest attempt since a time is the last one and failed, oldest first, for the
  /// webhooks' current URLs and with the same idempotency keys. Requires `webhook.update`.
  ///
  /// Deliveries that a worker would repeat later become due as well, and a circuit that is open closes: who asks for this
  /// has mended the receiver. Left out are tests, events that already wait for their redelivery, and events of inactive and
  /// removed webhooks.
  ///
  /// - Parameters:
  ///   - webhook: the webhook; nil for all.
  ///   - since: the earliest time of the failed attempt.
  /// - Returns: the number of events; at most ``mostRedeliveries`` of those that had ended: then another call may find
  ///   more.
  package func redeliverFailed(_ acting: ActingContext, of webhook: UUID?, since: Instant) async throws
    -> Int
  {
    let company = acting.company.id
    let trace = services.ids.next().text
    let ids = services.ids
    let (jobs, due) = try await CompanyAdministration(services).administer(
      acting,
      permission: "webhook.update"
    ) { tx, _ -> (([NewJob], Int), [AuditEntry]) in
      if let webhook { try Self.requireActive(webhook, company: company, tx) }
      let rows = try tx.rows(Self.failed(company: company, webhook, since), as: FailedDelivery.self)
      let jobs = try rows.map { row in
        NewJob(
          id: ids.next(),
          kind: WebhookDelivery.jobKind,
          maxAttempts: WebhookDelivery.maxAttempts,
          payload: try JSON(encoding: row.delivery),
          cause: row.delivery.recordType.flatMap { type in row.delivery.recordID.map { (type, $0) } },
          uniqueKey: row.key
        )
      }
      try JobOutbox.write(jobs, company: company, traceID: trace, tx)
      let due = try Self.makeDue(company: company, webhook, since, tx)
      guard !jobs.isEmpty || due > 0 else { return (([], 0), []) }
      let detail: JSONObject = [
        "events": .integer(Int64(jobs.count + due)), "since": .string(since.description),
      ]
      let entry = AuditEntry(
        action: "webhook.redelivered",
        subjectType: "webhook",
        subjectID: webhook?.text ?? "",
        detail: JSON(detail)
      )
      return ((jobs, due), [entry])
    }
    if due > 0 {
      await JobNotifier(services.database).notify()
    } else if let notification = JobNotification(jobs, company: company) {
      await JobNotifier(services.database).notify(notification)
    }
    return jobs.count + due
  }

  /// Makes deliveries due that wait for their next attempt after one that failed since a time, and closes the circuits:
  /// what waits for one is tried again within 15 minutes.
  ///
  /// - Returns: the number of deliveries.
  private static func makeDue(company: UUID, _ webhook: UUID?, _ since: Instant, _ tx: Transaction) throws
    -> Int
  {
    try tx.execute(
      """
      delete from core.webhook_circuit c
      where c.company_id = \(company) and c.failed_at >= \(since)
        and (\(nullable: webhook)::uuid is null or c.webhook_id = \(nullable: webhook))
      """
    )
    return try tx.execute(
      """
      update core.job_deferred d
      set run_at = clock_timestamp()
      from (
        select distinct l.job_id
        from core.webhook_delivery l
        join core.webhook w on w.company_id = \(company) and w.id = l.webhook_id and w.active
        where l.company_id = \(company) and l.at >= \(since) and l.outcome = 'retrying'
          and (\(nullable: webhook)::uuid is null or l.webhook_id = \(nullable: webhook))
      ) x
      where d.company_id = \(company) and d.id = x.job_id and d.run_at > clock_timestamp()
      """
    )
  }

  private static func requireActive(_ webhook: UUID, company: UUID, _ tx: Transaction) throws {
    let isActive = try tx.first(
      "select w.active from core.webhook w where w.company_id = \(company) and w.id = \(webhook)",
      Bool.self
    )
    guard let isActive else { throw missing }
    guard isActive else { throw inactive }
  }

  private static func failed(company: UUID, _ webhook: UUID?, _ since: Instant) -> SQL {
    """
    select d.webhook_id, d.event, d.record_type, d.record_id, d.history_seq, d.delivery,
      extract(epoch from now())::bigint
    from (
      select distinct on (l.webhook_id, l.delivery) l.webhook_id, l.delivery, l.event, l.record_type, l.record_id,
        l.history_seq, l.outcome, l.at
      from core.webhook_delivery l
      where l.company_id = \(company) and l.at >= \(since) and l.record_type is not null
        and (\(nullable: webhook)::uuid is null or l.webhook_id = \(nullable: webhook))
      order by l.webhook_id, l.delivery, l.at desc
    ) d
    join core.webhook w on w.company_id = \(company) and w.id = d.webhook_id and w.active
    where d.outcome = 'failed'
      and not exists (
        select from core.job_key k
        where k.company_id = \(company) and k.kind = \(WebhookDelivery.jobKind) and not k.is_ended
          and k.key = 'redeliver:' || d.webhook_id::text || ':' || d.delivery)
    order by d.at
    limit \(mostRedeliveries)
    """
  }

  /// A delivery that failed, as it is enqueued again.
  private struct FailedDelivery: RowDecodable, Sendable {
    let delivery: WebhookDelivery
    /// The key under which one redelivery of the event waits at a time.
    let key: String

    init(row: inout RowReader) throws(PostgresError) {
      let webhook: UUID = try row.next()
      let event: String = try row.next()
      let type: String? = try row.next()
      let record: UUID? = try row.next()
      let seq: Int64? = try row.next()
      let first: String = try row.next()
      let now: Int64 = try row.next()
      delivery = WebhookDelivery(
        webhookID: webhook,
        event: event,
        recordType: type,
        recordID: record,
        historySeq: seq,
        delivery: first,
        queuedAt: now
      )
      key = "redeliver:\(webhook.text):\(first)"
    }
  }
}
