internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
package import Webhooks

/// Tells one address of a company what happened: an HTTP POST, signed with the address's own secret.
package struct WebhookHandler: JobHandler {
  /// What an event leaves in the outbox for each address that wants it.
  package struct Payload: Codable, Sendable {
    let webhookID: UUID
    let event: String
    let recordType: String
    let recordID: UUID
    let historySeq: Int64

    enum CodingKeys: String, CodingKey {
      case event
      case webhookID = "webhook_id"
      case recordType = "record_type"
      case recordID = "record_id"
      case historySeq = "history_seq"
    }
  }

  package let kind = "webhook.deliver"
  private let client: WebhookClient

  package init(_ client: WebhookClient) {
    self.client = client
  }

  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.job.company
    let found = try await context.database.transaction(.inside(company)) { tx in
      let target = try tx.first(
        """
        select w.url, core.webhook_secret(w.company_id, w.id)
        from core.webhook w
        where w.company_id = \(company) and w.id = \(payload.webhookID) and w.active
        """,
        String.self,
        [UInt8].self
      )
      let body = try tx.first(
        """
        select jsonb_build_object(
          'event', \(payload.event), 'company', c.slug, 'record_type', h.record_type, 'record_id', h.record_id,
          'seq', h.seq, 'occurred_at', h.occurred_at, 'transition', h.transition, 'from', h.from_status,
          'to', h.to_status)
        from core.history h
        join core.company c on c.id = h.company_id
        where h.company_id = \(company) and h.record_type = \(payload.recordType)
          and h.record_id = \(payload.recordID) and h.seq = \(payload.historySeq)
        """,
        JSON.self
      )
      return (target, body)
    }
    // Removed or switched off since: nobody waits for it.
    guard let (url, secret) = found.0 else { return .none }
    guard let body = found.1 else { throw JobFailure.permanent("the history entry is gone") }
    let outcome = await client.deliver(
      Webhook(
        url: url,
        event: payload.event,
        delivery: context.idempotencyKey,
        body: Array(body.text.utf8),
        keys: [secret]
      )
    )
    switch outcome.verdict {
    case .delivered: return .none
    case .retry(let after): throw JobFailure.temporary(outcome.reason ?? "no answer", after: after)
    case .failed: throw JobFailure.permanent(outcome.reason ?? "refused with status \(outcome.status ?? 0)")
    }
  }
}
