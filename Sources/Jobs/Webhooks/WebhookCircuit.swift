internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store
internal import Webhooks

/// The circuit breaker of one webhook: a receiver that keeps failing is left alone for a while.
///
/// The circuit opens after ``threshold`` failures in a row. While it is open, deliveries are postponed without
/// an attempt. When its pause is over, one delivery is attempted as a probe: a success closes the circuit,
/// and a failure doubles the pause. The state is a row of `core.webhook_circuit`, which all workers share; a
/// webhook without a row has not failed.
struct WebhookCircuit: Sendable {
  /// The number of failures in a row after which the circuit opens.
  static let threshold = 5
  /// The pause after the circuit has opened.
  static let firstPause: Duration = .seconds(30)
  /// The maximum pause between two probes.
  static let longestPause: Duration = .seconds(900)
  /// The time after which a probe without an outcome is lost, and another delivery is the probe.
  static let probeTime: Duration = .seconds(60)
  /// The time for which a delivery waits for an open circuit; then it is dead, so that deliveries cannot pile up.
  static let patience: Duration = .seconds(3 * 86_400)

  let company: UUID
  let webhook: UUID

  /// The answer to a delivery that is about to be attempted.
  enum Permit: Sendable, Equatable {
    /// The circuit is closed: attempt the delivery.
    case attempt
    /// The pause is over: attempt this delivery as a probe.
    case probe
    /// The circuit is open: postpone the delivery.
    case wait(Duration)
    /// The circuit is open, and the delivery has waited for ``patience``: it is dead.
    case giveUp(reason: String)
  }

  /// Decides whether a delivery may be attempted. Of several deliveries at the same time, one is the probe.
  ///
  /// - Parameter queuedAt: the time at which the delivery was enqueued, in seconds since 1970; nil if unknown: then
  ///   it waits for ``patience`` from the opening of the circuit.
  func permit(queuedAt: Int64?, _ tx: Transaction) throws -> Permit {
    let row = try tx.first(
      """
      select extract(epoch from c.retry_at - now())::double precision,
        coalesce(to_timestamp(\(nullable: queuedAt)::bigint), c.opened_at)
          < now() - make_interval(secs => \(Self.patience.seconds)),
        c.reason
      from core.webhook_circuit c
      where c.company_id = \(company) and c.webhook_id = \(webhook) and c.opened_at is not null
      """,
      Double.self,
      Bool.self,
      String.self
    )
    guard let (seconds, isHopeless, reason) = row else { return .attempt }
    if seconds <= 0 {
      // The condition on retry_at is checked again after a concurrent probe has changed the row.
      let count = try tx.execute(
        """
        update core.webhook_circuit set retry_at = now() + make_interval(secs => \(Self.probeTime.seconds))
        where company_id = \(company) and webhook_id = \(webhook) and retry_at <= now()
        """
      )
      if count == 1 { return .probe }
    }
    if isHopeless { return .giveUp(reason: reason) }
    let wait = seconds > 0 ? seconds : Self.probeTime.seconds
    // Spread, so that not all deliveries return in the same moment.
    return .wait(.seconds(max(1, wait) * .random(in: 1...1.1)))
  }

  /// Records the outcome of an attempt.
  ///
  /// A success closes the circuit, and every other answer counts, as does an address that cannot be reached. An
  /// outcome that says nothing about the receiver changes nothing, such as that of a cancelled delivery.
  ///
  /// - Parameters:
  ///   - isProbe: true for a probe, whose failure prolongs the pause.
  ///   - isTest: true for a test, whose failure does not count.
  /// - Returns: true if this failure has opened the circuit.
  func record(
    _ outcome: DeliveryOutcome,
    _ verdict: WebhookVerdict,
    isProbe: Bool,
    isTest: Bool,
    _ tx: Transaction
  ) throws -> Bool {
    guard outcome.isAttempted || outcome.verdict == .failed else { return false }
    guard verdict != .delivered else {
      try tx.execute(
        "delete from core.webhook_circuit where company_id = \(company) and webhook_id = \(webhook)"
      )
      return false
    }
    guard !isTest else { return false }
    let asked = outcome.retryAfter?.seconds ?? 0
    let failures = try tx.first(
      """
      insert into core.webhook_circuit as c (company_id, webhook_id, failures, reason)
      select w.company_id, w.id, 1, \(outcome.reason ?? "no answer")
      from core.webhook w
      where w.company_id = \(company) and w.id = \(webhook)
      on conflict (company_id, webhook_id) do update
      set failures = least(c.failures + 1, 1000000), reason = excluded.reason, failed_at = now(),
        opened_at = case when c.failures + 1 >= \(Self.threshold) then coalesce(c.opened_at, now()) end,
        probes = least(c.probes + case when \(isProbe) then 1 else 0 end, 1000000),
        retry_at = case
          when c.failures + 1 < \(Self.threshold) then null
          when c.opened_at is not null and not \(isProbe) then c.retry_at
          else now() + make_interval(secs => greatest(\(asked), least(\(Self.longestPause.seconds),
            \(Self.firstPause.seconds) * power(2, least(c.probes + case when \(isProbe) then 1 else 0 end, 20)))))
        end
      returning c.failures
      """,
      Int.self
    )
    return failures == Self.threshold
  }

  /// Switches the webhook off, as its receiver asked, and records why.
  ///
  /// - Returns: false if it is off already.
  func switchOff(reason: String, _ tx: Transaction) throws -> Bool {
    let count = try tx.execute(
      """
      update core.webhook set active = false, updated_at = now()
      where company_id = \(company) and id = \(webhook) and active
      """
    )
    guard count == 1 else { return false }
    let detail: JSONObject = ["reason": .string(reason)]
    let entry = AuditEntry(
      action: "webhook.switched_off",
      subjectType: "webhook",
      subjectID: webhook.text,
      detail: JSON(detail)
    )
    let context = WorkContext(
      company: company,
      actor: .system(WebhookDelivery.jobKind),
      user: nil,
      requestID: UUIDv7Generator.shared.next()
    )
    try tx.execute(AuditWriter.insert(entry, id: UUIDv7Generator.shared.next(), context: context))
    return true
  }
}
