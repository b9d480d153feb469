internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Webhooks

/// A row of the delivery log: one request and its outcome, or the end of a delivery without a request.
struct DeliveryRecord: Sendable {
  /// The outcome in the log.
  enum Result: String, Sendable {
    case delivered, retrying, failed
  }

  let delivery: WebhookDelivery
  /// The delivery id, the same in every attempt.
  let key: String
  let job: UUID
  let attempt: Int
  let result: Result
  /// The reason for a failure; nil if delivered.
  let reason: String?
  /// The duration of the request; zero without a request.
  var duration: Duration = .zero
  /// The HTTP status; nil if there was no response.
  var status: Int?
  /// The beginning of the response body.
  var body: [UInt8] = []

  /// Adds the row, and deletes the webhook's rows older than 30 days, at most 100 of them.
  func write(company: UUID, _ tx: Transaction) throws {
    try tx.pipeline { pipeline in
      pipeline.execute(insert(company: company))
      pipeline.execute(prune(company: company))
    }
  }

  private func insert(company: UUID) -> SQL {
    """
    insert into core.webhook_delivery
      (company_id, id, webhook_id, job_id, delivery, event, record_type, record_id, history_seq, attempt, duration_ms,
       outcome, http_status, reason, answer)
    values (\(company), gen_random_uuid(), \(delivery.webhookID), \(job), \(key), \(delivery.event),
            \(nullable: delivery.recordType), \(nullable: delivery.recordID), \(nullable: delivery.historySeq),
            \(Int32(clamping: attempt)), \(Int32(clamping: Int64(duration / .milliseconds(1)))), \(result.rawValue),
            \(nullable: status.map { Int32(clamping: $0) }), \(nullable: reason), \(nullable: answer))
    """
  }

  private func prune(company: UUID) -> SQL {
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
    guard !body.isEmpty else { return nil }
    let text = String(decoding: body.prefix(4_000).filter { $0 != 0 }, as: UTF8.self)
    return String(text.prefix(1_000))
  }
}
