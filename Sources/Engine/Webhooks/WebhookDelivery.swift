package import FoundationEssentials
package import Postgres
internal import Store

/// One delivery of one event to one webhook: the payload of its job.
package struct WebhookDelivery: Codable, Sendable {
  /// The job kind.
  package static let jobKind = "webhook.deliver"
  /// The event of `fettle webhook test`, which is about no record.
  package static let testEvent = "webhook.test"
  /// The number of attempts, over about three days.
  package static let maxAttempts = WebhookEvent.maxAttempts

  /// The webhook.
  package let webhookID: UUID
  /// The event, such as `maintenance.entry.completed`.
  package let event: String
  /// The type of the record; nil for a test.
  package let recordType: String?
  /// The record; nil for a test.
  package let recordID: UUID?
  /// The sequence number of the history entry; nil for a test.
  package let historySeq: Int64?
  /// For a redelivery, the idempotency key of the first delivery; nil uses the job's own key.
  package var delivery: String?
  /// The time at which the delivery was enqueued, in seconds since 1970 by the database's clock; nil if unknown.
  package var queuedAt: Int64?

  package enum CodingKeys: String, CodingKey {
    case event, delivery
    case webhookID = "webhook_id"
    case recordType = "record_type"
    case recordID = "record_id"
    case historySeq = "history_seq"
    case queuedAt = "queued_at"
  }

  package init(
    webhookID: UUID,
    event: String,
    recordType: String? = nil,
    recordID: UUID? = nil,
    historySeq: Int64? = nil,
    delivery: String? = nil,
    queuedAt: Int64? = nil
  ) {
    self.webhookID = webhookID
    self.event = event
    self.recordType = recordType
    self.recordID = recordID
    self.historySeq = historySeq
    self.delivery = delivery
    self.queuedAt = queuedAt
  }

  /// True for a test of the webhook.
  package var isTest: Bool { event == Self.testEvent }

  /// Returns the query for the JSON to send. It has no row if the history entry no longer exists.
  package func body(company: UUID) -> SQL {
    guard let recordType, let recordID, let historySeq else {
      return """
        select jsonb_build_object(
          'event', \(event), 'company', c.slug, 'webhook_id', \(webhookID), 'occurred_at', now())
        from core.company c
        where c.id = \(company)
        """
    }
    return """
      select jsonb_build_object(
        'event', \(event), 'company', c.slug, 'record_type', \(recordType)::text, 'record_id', \(recordID)::uuid,
        'seq', \(historySeq)::bigint, 'occurred_at', h.occurred_at, 'transition', h.transition, 'from', h.from_status,
        'to', h.to_status)
      from core.history_event(\(recordType), \(recordID), \(historySeq)) h
      join core.company c on c.id = \(company)
      """
  }
}
