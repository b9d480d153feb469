internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// An attempt to deliver an event, from the delivery log.
package struct WebhookAttempt: RowDecodable, Sendable {
  /// The result of an attempt.
  package enum Outcome: String, Sendable {
    case delivered
    /// The attempt failed, and the job will be retried.
    case retrying
    /// The attempt failed, and the job will not be retried.
    case failed
  }

  package let id: UUID
  package let webhook: UUID
  package let job: UUID
  package let event: String
  package let recordType: String?
  package let recordID: UUID?
  /// The number of the attempt within its job, counted from 1.
  package let attempt: Int
  package let at: Instant
  /// The duration in milliseconds.
  package let milliseconds: Int
  package let outcome: Outcome?
  /// The HTTP status; nil if there was no response.
  package let status: Int?
  package let reason: String?
  package let answer: String?

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    webhook = try row.next()
    job = try row.next()
    event = try row.next()
    recordType = try row.next()
    recordID = try row.next()
    attempt = try row.next()
    at = try row.next()
    milliseconds = try row.next()
    outcome = Outcome(rawValue: try row.next())
    status = try row.next()
    reason = try row.next()
    answer = try row.next()
  }

  static let columns: SQL = """
    d.id, d.webhook_id, d.job_id, d.event, d.record_type, d.record_id, d.attempt, d.at, d.duration_ms, d.outcome,
    d.http_status, d.reason, d.answer
    """
}

extension WebhookAdministration {
  /// Returns the newest delivery attempts, newest first. Requires `webhook.read`.
  ///
  /// - Parameters:
  ///   - webhook: the webhook; nil for all.
  ///   - job: the only job; nil for all.
  ///   - failed: true for failed attempts only.
  ///   - after: the last attempt of the previous page; nil for the first page.
  package func deliveries(
    _ acting: ActingContext,
    of webhook: UUID? = nil,
    job: UUID? = nil,
    failed: Bool = false,
    after place: TimePlace? = nil,
    limit: Int
  ) async throws -> [WebhookAttempt] {
    try await CompanyAdministration(services).read(acting, permission: "webhook.read") { tx, _ in
      try tx.rows(
        """
        select \(WebhookAttempt.columns)
        from core.webhook_delivery d
        where d.company_id = \(acting.company.id)
          and (\(nullable: webhook)::uuid is null or d.webhook_id = \(nullable: webhook))
          and (\(nullable: job)::uuid is null or d.job_id = \(nullable: job))
          and (not \(failed) or d.outcome <> 'delivered')
          and (\(nullable: place?.at)::timestamptz is null
            or (d.at, d.id) < (\(nullable: place?.at)::timestamptz, \(nullable: place?.id)::uuid))
        order by d.at desc, d.id desc
        limit \(limit)
        """,
        as: WebhookAttempt.self
      )
    }
  }

  /// Returns the attempts of one delivery job so far, oldest first. Requires `webhook.read`.
  package func attempts(_ acting: ActingContext, job: UUID) async throws -> [WebhookAttempt] {
    try await CompanyAdministration(services).read(acting, permission: "webhook.read") { tx, _ in
      try tx.rows(
        """
        select \(WebhookAttempt.columns)
        from core.webhook_delivery d
        where d.company_id = \(acting.company.id) and d.job_id = \(job)
        order by d.attempt
        """,
        as: WebhookAttempt.self
      )
    }
  }

  /// Enqueues the event `webhook.test` for a webhook, with one attempt and a higher priority than usual jobs.
  /// An inactive webhook is tested too.
  ///
  /// - Returns: the id of the job that delivers the event.
  /// - Throws: `not_found`.
  package func test(_ acting: ActingContext, id: UUID) async throws -> UUID {
    try await enqueue(acting, action: "webhook.tested", attempts: 1, priority: 1) { tx in
      let known = try tx.first(
        "select w.id from core.webhook w where w.company_id = \(acting.company.id) and w.id = \(id)",
        UUID.self
      )
      guard known != nil else { throw Self.missing }
      return WebhookDelivery(webhookID: id, event: WebhookDelivery.testEvent)
    }
  }

  /// Enqueues the event of an attempt again, for the webhook's current URL and with the same idempotency key.
  ///
  /// - Parameter webhook: the webhook of the attempt; nil for any.
  /// - Returns: the id of the job that delivers the event.
  /// - Throws: `not_found` if the log has no such attempt or the webhook was removed, `wrong_state` if the
  ///   webhook is inactive, unless the event is a test.
  package func redeliver(_ acting: ActingContext, attempt: UUID, of webhook: UUID? = nil) async throws -> UUID
  {
    try await enqueue(
      acting,
      action: "webhook.redelivered",
      attempts: WebhookDelivery.maxAttempts,
      priority: 2
    ) { tx in
      let row = try tx.first(
        """
        select d.webhook_id, d.event, d.record_type, d.record_id, d.history_seq, d.delivery, w.active
        from core.webhook_delivery d
        left join core.webhook w on w.company_id = d.company_id and w.id = d.webhook_id
        where d.company_id = \(acting.company.id) and d.id = \(attempt)
          and (\(nullable: webhook)::uuid is null or d.webhook_id = \(nullable: webhook))
        """,
        UUID.self,
        String.self,
        String?.self,
        UUID?.self,
        Int64?.self,
        String.self,
        Bool?.self
      )
      guard let (webhook, event, type, record, seq, delivery, isActive) = row else {
        throw DomainError(
          .notFound,
          "the delivery log has no such attempt",
          hint: "list the attempts of the last 30 days with `fettle webhook deliveries`"
        )
      }
      guard let isActive else { throw DomainError(.notFound, "the webhook was removed") }
      guard isActive || event == WebhookDelivery.testEvent else {
        throw Self.inactive
      }
      return WebhookDelivery(
        webhookID: webhook,
        event: event,
        recordType: type,
        recordID: record,
        historySeq: seq,
        delivery: delivery
      )
    }
  }

  /// The error for a webhook that is switched off.
  static var inactive: DomainError {
    DomainError(
      .wrongState,
      "the webhook is inactive",
      hint: "switch it on with `fettle webhook change ID --active`"
    )
  }

  private func enqueue(
    _ acting: ActingContext,
    action: String,
    attempts: Int,
    priority: Int,
    _ find: @escaping @Sendable (Transaction) throws -> WebhookDelivery
  ) async throws -> UUID {
    let company = acting.company.id
    let job = services.ids.next()
    let trace = services.ids.next().text
    let enqueued = try await CompanyAdministration(services).administer(
      acting,
      permission: "webhook.update"
    ) { tx, _ in
      let delivery = try find(tx)
      let new = NewJob(
        id: job,
        kind: WebhookDelivery.jobKind,
        priority: priority,
        maxAttempts: attempts,
        payload: try JSON(encoding: delivery),
        cause: delivery.recordType.flatMap { type in delivery.recordID.map { (type, $0) } }
      )
      try JobOutbox.write([new], company: company, traceID: trace, tx)
      let entry = AuditEntry(
        action: action,
        subjectType: "webhook",
        subjectID: delivery.webhookID.text,
        detail: JSON(["event": .string(delivery.event)] as JSONObject)
      )
      return (new, [entry])
    }
    if let notification = JobNotification([enqueued], company: company) {
      await JobNotifier(services.database).notify(notification)
    }
    return job
  }
}
