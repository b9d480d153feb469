internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store
internal import Webhooks

/// The circuit breaker of one webhook: a receiver that keeps failing is left alone for a while.
///
/// The circuit opens after ``threshold`` failures in a row. While it is open, deliveries are postponed without
/// an attempt. When its pause is over, one delivery is attempted as a probe: an answer closes the circuit,
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
  /// The time for which deliveries wait for an open circuit; later ones are dead, so that they cannot pile up.
  static let patience: Duration = .seconds(3 * 86_400)
  /// The template of the notice to the company's admins.
  static let template = "webhook_failing"

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
    /// The circuit has been open for ``patience``: the delivery is dead.
    case giveUp(reason: String)
  }

  /// Decides whether a delivery may be attempted. Of several deliveries at the same time, one is the probe.
  func permit(_ tx: Transaction) throws -> Permit {
    let row = try tx.first(
      """
      select extract(epoch from c.retry_at - now())::double precision,
        c.opened_at < now() - make_interval(secs => \(Self.patience.seconds)), c.reason
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
  /// Any answer but a temporary refusal closes the circuit: the receiver works. An outcome that says nothing
  /// about the receiver changes nothing, such as that of a cancelled delivery.
  ///
  /// - Parameters:
  ///   - isProbe: true for a probe, whose failure prolongs the pause.
  ///   - isTest: true for a test, whose failure does not count.
  /// - Returns: true if this failure has opened the circuit.
  func record(_ outcome: DeliveryOutcome, isProbe: Bool, isTest: Bool, _ tx: Transaction) throws -> Bool {
    guard outcome.isAttempted else { return false }
    guard case .retry(let after) = outcome.verdict else {
      try tx.execute(
        "delete from core.webhook_circuit where company_id = \(company) and webhook_id = \(webhook)"
      )
      return false
    }
    guard !isTest else { return false }
    let asked = after?.seconds ?? 0
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

  /// Delivers a notice to the owners and admins of the company, at most one a day.
  ///
  /// - Parameters:
  ///   - url: the address of the receiver; the notice names its host only, because paths may contain secrets.
  ///   - reason: the reason for the last failure.
  func notify(url: String, reason: String, _ tx: Transaction) throws {
    let host = url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { !"/?#".contains($0) }
    let data: JSONObject = ["receiver": .string(String(host)), "reason": .string(reason)]
    let admins = try Recipient.role("admin").people(of: [:], company: company, tx)
    let willing = try tx.rows(Notices.willing(admins, template: Self.template, company: company), UUID.self)
    var created: [UUID] = []
    for user in willing {
      let id = try tx.first(
        """
        insert into core.notification (company_id, id, user_id, template, data, dedupe_key, state)
        values (\(company), \(UUIDv7Generator.shared.next()), \(user), \(Self.template), \(JSON(data)),
                format('webhook:%s:%s:%s', \(webhook)::text, current_date, \(user)::text), 'sent')
        on conflict do nothing
        returning id
        """,
        UUID.self
      )
      if let id { created.append(id) }
    }
    try NoticeMails.enqueue(created, company: company, traceID: nil, tx)
  }
}
