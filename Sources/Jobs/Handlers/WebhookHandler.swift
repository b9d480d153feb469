internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
package import Secrets
internal import Store
package import Webhooks

/// Delivers one event to one webhook of a company: an HTTP POST, signed with the webhook's own secret. Each
/// request is written to the delivery log, whether it succeeds or not.
package struct WebhookHandler: JobHandler {
  /// The delivery that an event enqueues for each webhook that subscribes to it.
  package typealias Payload = WebhookDelivery

  /// The kind of webhook deliveries.
  package let kind = WebhookDelivery.jobKind
  /// Four: a receiver that hangs must not occupy a worker.
  package var maxRunningPerCompany: Int? { 4 }
  private let client: WebhookClient
  private let keys: @Sendable () throws -> Keys

  /// Creates a handler that sends its requests with this client.
  ///
  /// - Parameter keys: the keys that decrypt the webhooks' secrets.
  package init(_ client: WebhookClient, keys: @escaping @Sendable () throws -> Keys) {
    self.client = client
    self.keys = keys
  }

  /// Sends the request and writes it to the delivery log. Succeeds without a request if the webhook was
  /// removed or switched off after the job was enqueued. While the receiver keeps failing, the job is
  /// postponed without a request; see ``WebhookCircuit``.
  ///
  /// The log is written in a transaction of its own, so that failed attempts are logged too. If that
  /// transaction fails, the job is retried, and the receiver gets the event again under the same delivery id.
  ///
  /// - Throws: ``JobFailure``: temporary if the receiver may accept a later attempt, after the time that it
  ///   asked for, if any; permanent if it refused, if it has kept failing for days, or if the history entry of
  ///   the event no longer exists; a snooze while the webhook's circuit is open.
  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let circuit = WebhookCircuit(company: company, webhook: payload.webhookID)
    let found = try await context.database.transaction(.inside(company)) { tx in
      let target = try tx.first(
        """
        select w.url, s.secret, s.previous_secret
        from core.webhook w
        cross join lateral core.webhook_secret(w.company_id, w.id) s
        where w.company_id = \(company) and w.id = \(payload.webhookID) and (w.active or \(payload.isTest))
        """,
        String.self,
        [UInt8].self,
        [UInt8]?.self
      )
      let body = try tx.first(payload.body(company: company), JSON.self)
      // A delivery that will not be sent must not be the probe.
      let isSent = target != nil && body != nil && !payload.isTest
      return (target: target, body: body, permit: try isSent ? circuit.permit(tx) : .attempt)
    }
    // The webhook was removed or switched off after the job was enqueued.
    guard let (url, sealed, previous) = found.target else { return .none }
    guard let body = found.body else { throw JobFailure.permanent("history entry not found") }
    switch found.permit {
    case .attempt, .probe: break
    case .wait(let time): throw JobFailure.snooze(time, "the receiver keeps failing")
    case .giveUp(let reason): throw JobFailure.permanent("the receiver has failed for days: \(reason)")
    }
    // After a rotation, the previous secret signs too for a day.
    let secrets = try [sealed, previous].compactMap(\.self).map {
      try open($0, of: payload.webhookID, company: company)
    }
    let delivery = payload.delivery ?? context.idempotencyKey
    let begun = ContinuousClock.now
    let outcome = await client.deliver(
      Webhook(
        url: url,
        event: payload.event,
        delivery: delivery,
        body: Array(body.text.utf8),
        keys: secrets
      )
    )
    let attempt = DeliveryAttempt(
      payload,
      delivery: delivery,
      job: context.id,
      attempt: context.attempt,
      maxAttempts: context.maxAttempts,
      duration: begun.duration(to: .now),
      outcome
    )
    try await context.database.transaction(.inside(company)) { tx in
      try tx.pipeline { pipeline in
        pipeline.execute(attempt.insert(company: company))
        pipeline.execute(attempt.prune(company: company))
      }
      if try circuit.record(outcome, isProbe: found.permit == .probe, isTest: payload.isTest, tx) {
        try circuit.notify(url: url, reason: outcome.reason ?? "no answer", tx)
      }
    }
    // The result of a test is in the delivery log. A dead job would look like a lost event.
    if payload.isTest { return .none }
    switch outcome.verdict {
    case .delivered: return .none
    case .retry(let after): throw JobFailure.temporary(outcome.reason ?? "no answer", after: after)
    case .failed: throw JobFailure.permanent(outcome.reason ?? "refused with status \(outcome.status ?? 0)")
    }
  }

  /// Returns the webhook's secret. Without the right key, the operator can restore the key file meanwhile.
  private func open(_ sealed: [UInt8], of webhook: UUID, company: UUID) throws -> [UInt8] {
    do {
      let place = WebhookAdministration.place(of: webhook, company: company)
      return try SealedSecret.open(sealed, for: place, with: keys())
    } catch let error as SecretsError {
      throw JobFailure.temporary(error.message)
    }
  }
}

/// A row of the delivery log: one request and its outcome.
private struct DeliveryAttempt: Sendable {
  private let delivery: WebhookDelivery
  /// The delivery id, the same in every attempt.
  private let key: String
  private let job: UUID
  private let attempt: Int
  /// The duration of the request.
  private let milliseconds: Int32
  private let result: String
  private let outcome: DeliveryOutcome

  init(
    _ payload: WebhookDelivery,
    delivery: String,
    job: UUID,
    attempt: Int,
    maxAttempts: Int,
    duration: Duration,
    _ outcome: DeliveryOutcome
  ) {
    self.delivery = payload
    key = delivery
    self.job = job
    self.attempt = attempt
    milliseconds = Int32(clamping: Int64(duration / .milliseconds(1)))
    self.outcome = outcome
    result =
      switch outcome.verdict {
      case .delivered: "delivered"
      case .retry where attempt < maxAttempts: "retrying"
      case .retry, .failed: "failed"
      }
  }

  /// The statement that adds the row.
  func insert(company: UUID) -> SQL {
    """
    insert into core.webhook_delivery
      (company_id, id, webhook_id, job_id, delivery, event, record_type, record_id, history_seq, attempt, duration_ms,
       outcome, http_status, reason, answer)
    values (\(company), gen_random_uuid(), \(delivery.webhookID), \(job), \(key), \(delivery.event),
            \(nullable: delivery.recordType), \(nullable: delivery.recordID), \(nullable: delivery.historySeq),
            \(Int32(clamping: attempt)), \(milliseconds), \(result), \(nullable: outcome.status.map(Int32.init(clamping:))),
            \(nullable: outcome.reason), \(nullable: answer))
    """
  }

  /// The statement that deletes the webhook's rows older than 30 days, at most 100 of them.
  func prune(company: UUID) -> SQL {
    """
    delete from core.webhook_delivery d
    where d.company_id = \(company) and d.id = any (array(
      select o.id from core.webhook_delivery o
      where o.company_id = \(company) and o.webhook_id = \(delivery.webhookID) and o.at < now() - interval '30 days'
      order by o.at
      limit 100
    ))
    """
  }

  /// The first 1,000 characters of the response body, without NUL, which PostgreSQL cannot store; nil if it
  /// is empty.
  private var answer: String? {
    guard !outcome.body.isEmpty else { return nil }
    let text = String(decoding: outcome.body.prefix(4_000).filter { $0 != 0 }, as: UTF8.self)
    return String(text.prefix(1_000))
  }
}
