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
  /// Four while the receivers of the company are quick; fewer as they get slower.
  package var maxRunningPerCompany: Int? { 4 }
  /// True: nearly all of its time is the receiver's.
  package var waitsOutside: Bool { true }
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
  /// A delivery that ends without success tells the company's administrators.
  ///
  /// - Throws: ``JobFailure``: temporary after every answer but 2xx and 410, over about three days; permanent
  ///   after 410, which switches the webhook off, if the receiver has kept failing for days, or if the history
  ///   entry of the event no longer exists; a snooze while the webhook's circuit is open.
  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let circuit = WebhookCircuit(company: company, webhook: payload.webhookID)
    let found = try await context.database.transaction(.inside(company)) { tx in
      let target = try tx.first(
        """
        select w.url, s.secret, s.previous_secret, w.active
        from core.webhook w
        cross join lateral core.webhook_secret(w.company_id, w.id) s
        where w.company_id = \(company) and w.id = \(payload.webhookID)
        """,
        String.self,
        [UInt8].self,
        [UInt8]?.self,
        Bool.self
      )
      let body = try tx.first(payload.body(company: company), JSON.self)
      // A delivery that will not be sent must not be the probe.
      let isSent = target?.3 == true && body != nil && !payload.isTest
      let permit = try isSent ? circuit.permit(queuedAt: payload.queuedAt, tx) : .attempt
      return (target: target, body: body, permit: permit)
    }
    // The webhook was removed after the job was enqueued.
    guard let (url, sealed, previous, isActive) = found.target else { return .none }
    guard isActive || payload.isTest else {
      try await end(payload, context, "the webhook is switched off", notice: nil)
      return .none
    }
    let notice = WebhookNotice(company: company, webhook: payload.webhookID, url: url)
    guard let body = found.body else {
      try await end(payload, context, "history entry not found", notice: notice)
      throw JobFailure.permanent("history entry not found")
    }
    switch found.permit {
    case .attempt, .probe: break
    case .wait(let time): throw JobFailure.snooze(time, "the receiver keeps failing")
    case .giveUp(let reason):
      try await end(payload, context, "the receiver has failed for days: \(reason)", notice: notice)
      throw JobFailure.permanent("the receiver has failed for days: \(reason)")
    }
    // After a rotation, the previous secret signs too for a day.
    let secrets = try [sealed, previous].compactMap(\.self).map {
      try open($0, of: payload.webhookID, company: company, attempt: context.attempt)
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
    let duration = begun.duration(to: .now)
    let verdict = WebhookVerdict(outcome, attempt: context.attempt)
    let reason = outcome.reason ?? "no answer"
    let isLast = context.attempt >= context.maxAttempts
    try await context.database.transaction(.inside(company)) { tx in
      let result: DeliveryRecord.Result =
        switch verdict {
        case .delivered: .delivered
        case .retry where !isLast: .retrying
        case .retry, .gone: .failed
        }
      try DeliveryRecord(
        delivery: payload,
        key: delivery,
        job: context.id,
        attempt: context.attempt,
        result: result,
        reason: verdict == .delivered ? nil : reason,
        duration: duration,
        status: outcome.status,
        body: outcome.body
      ).write(company: company, tx)
      let hasOpened = try circuit.record(
        outcome,
        verdict,
        isProbe: found.permit == .probe,
        isTest: payload.isTest,
        tx
      )
      guard !payload.isTest else { return }
      if verdict == .gone {
        guard try circuit.switchOff(reason: reason, tx) else { return }
        try notice.tell(.gone, event: payload.event, reason: reason, tx)
      } else if result == .failed {
        try notice.tell(.undelivered, event: payload.event, reason: reason, tx)
      } else if hasOpened {
        try notice.tell(.failing, event: payload.event, reason: reason, tx)
      }
    }
    // The result of a test is in the delivery log. A dead job would look like a lost event.
    if payload.isTest { return .none }
    switch verdict {
    case .delivered: return .none
    case .retry(let after): throw JobFailure.temporary(reason, after: after)
    case .gone: throw JobFailure.permanent("\(reason), and the webhook was switched off")
    }
  }

  /// Writes the end of a delivery without a request to the log, so that the event can be delivered again.
  ///
  /// - Parameter notice: tells the administrators; nil if they know.
  private func end(
    _ payload: Payload,
    _ context: JobContext,
    _ reason: String,
    notice: WebhookNotice?
  ) async throws {
    let company = context.job.company
    try await context.database.transaction(.inside(company)) { tx in
      try DeliveryRecord(
        delivery: payload,
        key: payload.delivery ?? context.idempotencyKey,
        job: context.id,
        attempt: context.attempt,
        result: .failed,
        reason: reason
      ).write(company: company, tx)
      try notice?.tell(.undelivered, event: payload.event, reason: reason, tx)
    }
  }

  /// Returns the webhook's secret. Without the right key, the operator can restore the key file meanwhile.
  private func open(_ sealed: [UInt8], of webhook: UUID, company: UUID, attempt: Int) throws -> [UInt8] {
    do {
      let place = WebhookAdministration.place(of: webhook, company: company)
      return try SealedSecret.open(sealed, for: place, with: keys())
    } catch let error as SecretsError {
      throw JobFailure.temporary(error.message, after: RetryPolicy.webhooks.delay(afterAttempt: attempt))
    }
  }
}
