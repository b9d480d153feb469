import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import TestTools
import Testing
import Webhooks

/// How deliveries that do not succeed end: nothing ends unseen, and everything can be delivered again.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WebhookEndTests {
  @Test func `the waits between the attempts last for days`() {
    let waits = (1..<WebhookDelivery.maxAttempts).map { RetryPolicy.webhooks.limit(afterAttempt: $0) }
    #expect(waits.reduce(.zero, +) >= .seconds(3 * 86_400))
    #expect(waits.reduce(.zero, +) <= .seconds(5 * 86_400))
    // A receiver that restarts within ten seconds gets its event within half a minute.
    #expect(waits.prefix(4).reduce(.zero, +) == .seconds(30))
  }

  @Test func `a delivery that is given up tells the administrators, and can be delivered again`() async throws
  {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.status(404))
      defer { receiver.stop() }
      let (shop, hook) = try await subscribed(receiver.url, fixture)
      let id = try await complete(shop)
      try await allowOneAttempt(fixture)
      let webhooks = WebhookAdministration(fixture.services)
      try await run(fixture) { try await fixture.reach(.dead, id) }
      #expect(try await notices("webhook_undelivered", fixture) == 2)
      let data = try #require(
        try await Inbox(fixture.services).list(fixture.operatorContext, limit: 1).first?.data.value().object
      )
      #expect(data["event"] == "maintenance.entry.completed" && data["reason"] == "the receiver answered 404")
      // Several webhooks may have receivers on one host.
      for template in NoticeTemplate.builtIn where template.name.hasPrefix("webhook_") {
        for language in Language.allCases {
          let shown = NoticeTemplate.fill(template.text(in: language).body, with: data)
          #expect(shown.contains(hook.text), "\(template.name): \(shown)")
        }
      }
      // What failed before the time is left alone; what waits is not enqueued twice.
      #expect(
        try await webhooks.redeliverFailed(fixture.operatorContext, of: hook, since: .distantFuture) == 0
      )
      #expect(try await webhooks.redeliverFailed(fixture.operatorContext, of: nil, since: .distantPast) == 1)
      #expect(try await webhooks.redeliverFailed(fixture.operatorContext, of: nil, since: .distantPast) == 0)
      try await run(fixture) {
        try await until { try await delivered(fixture) == 1 }
      }
      #expect(Set(receiver.requests.map { $0.headers["idempotency-key"] }) == ["job:\(id.text)"])
      // Once it is delivered, it has not failed any more.
      #expect(try await webhooks.redeliverFailed(fixture.operatorContext, of: hook, since: .distantPast) == 0)
    }
  }

  @Test func `what would be repeated later is delivered at once, and an open circuit closes`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.status(404), .status(200))
      defer { receiver.stop() }
      let (shop, hook) = try await subscribed(receiver.url, fixture)
      let id = try await complete(shop)
      try await run(fixture) { try await fixture.reach(.retrying, id) }
      try await fixture.superuser.execute("update core.job_deferred set run_at = now() + interval '12 hours'")
      try await fixture.superuser.execute(
        """
        insert into core.webhook_circuit (company_id, webhook_id, failures, reason, opened_at, retry_at)
        values (\(fixture.operatorContext.company.id), \(hook), 5, 'the receiver answered 404', now(),
          now() + interval '15 minutes')
        on conflict (company_id, webhook_id) do update
        set failures = excluded.failures, opened_at = excluded.opened_at, retry_at = excluded.retry_at
        """
      )
      let webhooks = WebhookAdministration(fixture.services)
      #expect(
        try await webhooks.redeliverFailed(fixture.operatorContext, of: nil, since: .distantFuture) == 0
      )
      #expect(try await webhooks.redeliverFailed(fixture.operatorContext, of: hook, since: .distantPast) == 1)
      try await run(fixture) { try await until { try await delivered(fixture) == 1 } }
      #expect(receiver.requests.count == 2)
      #expect(Set(receiver.requests.map { $0.headers["idempotency-key"] }) == ["job:\(id.text)"])
    }
  }

  @Test func `an answer of 410 switches the webhook off with a notice, and its events wait in the log`()
    async throws
  {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.status(410))
      defer { receiver.stop() }
      let (shop, hook) = try await subscribed(receiver.url, fixture)
      let gone = try await complete(shop)
      let webhooks = WebhookAdministration(fixture.services)
      let late = WebhookDelivery(
        webhookID: hook,
        event: "maintenance.entry.completed",
        recordType: "maintenance.entry",
        recordID: shop.entry,
        historySeq: 1
      )
      try await run(fixture) {
        try await fixture.reach(.dead, gone)
        let waiting = try await fixture.enqueue(WebhookDelivery.jobKind, payload: try JSON(encoding: late))
        try await fixture.reach(.succeeded, waiting)
      }
      #expect(receiver.requests.count == 1)
      let shown = try await webhooks.show(fixture.operatorContext, id: hook)
      #expect(!shown.isActive && shown.reason == "the receiver answered 410")
      #expect(try await notices("webhook_gone", fixture) == 2)
      let log = try await webhooks.deliveries(fixture.operatorContext, failed: true, limit: 10)
      #expect(log.map(\.reason) == ["the webhook is switched off", "the receiver answered 410"])
      let audited = try await fixture.superuser.value(
        "select count(*)::int from core.audit where action = 'webhook.switched_off' and actor_kind = 'system'",
        as: Int.self
      )
      #expect(audited == 1)
      let refusal = await #expect(throws: DomainError.self) {
        try await webhooks.redeliverFailed(fixture.operatorContext, of: hook, since: .distantPast)
      }
      #expect(refusal?.code == .wrongState)
      try await webhooks.change(fixture.operatorContext, id: hook, isActive: true)
      #expect(try await webhooks.redeliverFailed(fixture.operatorContext, of: hook, since: .distantPast) == 2)
      try await run(fixture) { try await until { try await delivered(fixture) == 2 } }
    }
  }

  @Test func `a receiver cannot use up the attempts by asking for short waits`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.later(404, seconds: 1), .later(503, seconds: 3_600))
      defer { receiver.stop() }
      let (shop, _) = try await subscribed(receiver.url, fixture)
      let id = try await complete(shop)
      try await fixture.superuser.execute(
        "update core.job_queued set attempt = 12 where kind = \(WebhookDelivery.jobKind)"
      )
      try await run(fixture) {
        try await until {
          try await fixture.superuser.value(
            "select exists (select from core.job_deferred d where d.id = \(id))",
            as: Bool.self
          )
        }
      }
      let wait = try await fixture.superuser.value(
        "select extract(epoch from d.run_at - now())::bigint from core.job_deferred d where d.id = \(id)",
        as: Int64.self
      )
      #expect(wait > 3_600)
    }
  }

  private func subscribed(_ url: String, _ fixture: JobFixture) async throws -> (shop: Shop, webhook: UUID) {
    let shop = try await Shop(fixture)
    let added = try await WebhookAdministration(fixture.services).add(
      fixture.operatorContext,
      url: url,
      events: ["maintenance.entry.completed"],
      fault: Webhook.fault
    )
    return (shop, added.id)
  }

  /// Completes the shop's entry and returns the delivery that follows.
  private func complete(_ shop: Shop) async throws -> UUID {
    try await shop.take("start")
    try await shop.take("complete")
    return try #require(
      try await shop.fixture.superuser.rows(
        "select id from core.job where kind = 'webhook.deliver'",
        UUID.self
      )
      .first
    )
  }

  /// Makes the next attempt of the deliveries the last one.
  private func allowOneAttempt(_ fixture: JobFixture) async throws {
    try await fixture.superuser.execute(
      "update core.job_queued set max_attempts = 1 where kind = \(WebhookDelivery.jobKind)"
    )
  }

  private func notices(_ template: String, _ fixture: JobFixture) async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.notification where template = \(template)",
      as: Int.self
    )
  }

  private func delivered(_ fixture: JobFixture) async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.webhook_delivery where outcome = 'delivered'",
      as: Int.self
    )
  }

  private func run(_ fixture: JobFixture, _ body: @Sendable () async throws -> Void) async throws {
    var handlers = HandlerTable()
    handlers.add(WebhookHandler(WebhookClient(policy: .publicAndPrivate), keys: fixture.services.keys))
    try await fixture.working(fixture.worker(handlers)) { try await body() }
  }
}
