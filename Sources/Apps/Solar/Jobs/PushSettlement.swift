internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Jobs
internal import Postgres
internal import Store

/// Writes the result of a delivery under the job's lease, in one transaction: the transition, the number of
/// attempts, receipt or error, and the next job if there is one.
struct PushSettlement: Sendable {
  /// Waits about 30 seconds after the first failed delivery, then about two minutes, then eight.
  static let retries = RetryPolicy(
    base: .seconds(30),
    factor: 4,
    ceiling: .seconds(3_600),
    jitter: 0.75...1.25
  )
  /// Maximum number of deliveries before a person has to retry.
  static let maximumAttempts = 3

  let result: PushResult
  /// The number of earlier deliveries.
  let attempts: Int
  let recording: UUID
  let acting: ActingContext

  func write(with records: Records, _ tx: Transaction) throws {
    do {
      try records.perform(in: tx, acting) { work in
        switch result {
        case .taken(let reference):
          try take("ack", attempts: attempts + 1, reference: reference, records, &work)
        case .again(let reason, let after) where attempts + 1 < Self.maximumAttempts:
          try take("backoff", attempts: attempts + 1, error: reason, records, &work)
          try enqueue(after: after, &work)
        case .again(let reason, _), .refused(let reason):
          try take("fail", attempts: attempts + 1, error: reason, records, &work)
        case .undeliverable(let reason):
          try take("fail", attempts: attempts, error: reason, records, &work)
        }
      }
    } catch let error as DomainError where [.wrongState, .notFound].contains(error.code) {
      // The recording was deleted meanwhile; the utility keeps what it has received.
    }
  }

  private func take(
    _ transition: String,
    attempts: Int,
    reference: String? = nil,
    error: String? = nil,
    _ records: Records,
    _ work: inout Work
  ) throws {
    _ = try records.transition(
      acting,
      type: "solar.recording",
      id: recording,
      request: TransitionRequest(transition, comment: error),
      in: &work
    )
    work.changes.rows.append(
      """
      update solar.recording
      set push_attempts = \(Int16(clamping: min(attempts, Self.maximumAttempts))), last_error = \(nullable: error),
          utility_ref = coalesce(\(nullable: reference), utility_ref)
      where company_id = \(acting.company.id) and id = \(recording)
      """
    )
  }

  /// Enqueues the next delivery after the usual backoff, or after the utility's retry time if that is longer.
  private func enqueue(after asked: Duration?, _ work: inout Work) throws {
    let pause = Self.retries.delay(afterAttempt: attempts + 1)
    let wait = max(asked ?? .zero, pause)
    let now = work.access?.now.microseconds ?? 0
    let payload: JSONObject = [
      "record_type": "solar.recording", "record_id": .string(recording.text),
    ]
    work.changes.jobs.append(
      NewJob(
        id: work.newID(),
        kind: "solar.push",
        runAt: Instant(microseconds: now + wait.components.seconds * 1_000_000),
        payload: JSON(payload),
        cause: ("solar.recording", recording)
      )
    )
  }
}
