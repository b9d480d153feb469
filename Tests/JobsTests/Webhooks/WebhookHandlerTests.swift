import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Glibc
import Jobs
import Postgres
import Secrets
import Store
import TestDatabase
import TestTools
import Testing
import Webhooks

@Suite(.serialized, .timeLimit(.minutes(60))) struct WebhookHandlerTests {
  @Test func `an event is sent to its subscribers, signed with the secret of each`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver()
      defer { receiver.stop() }
      let shop = try await Shop(fixture)
      let secret = try await subscribe(receiver.url, fixture)
      _ = try await subscribe("http://127.0.0.1:9/never", fixture)
      try await fixture.superuser.execute(
        "update core.webhook set events = '{maintenance.entry.other}' where url like '%/never'"
      )
      let id = try await complete(shop)
      try await run(fixture) { try await fixture.reach(.succeeded, id) }
      let request = try #require(receiver.requests.first)
      #expect(receiver.requests.count == 1)
      #expect(request.headers["fettle-event"] == "maintenance.entry.completed")
      #expect(request.headers["idempotency-key"] == "job:\(id.text)")
      let signature = try #require(request.headers["fettle-signature"])
      let now = Int64(time(nil))
      #expect(WebhookSignature.isValid(signature, for: request.body, key: secret, now: now))
      #expect(!WebhookSignature.isValid(signature, for: request.body + [32], key: secret, now: now))
      let body = try JSON(text: String(decoding: request.body, as: UTF8.self)).value().object ?? [:]
      #expect(body["company"] == "acme")
      #expect(body["transition"] == "complete")
      #expect(body["from"] == "in_progress" && body["to"] == "completed")
      #expect(body["record_id"] == .string(shop.entry.text))
    }
  }

  @Test func `a failed delivery is retried under the same key`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.status(500), .status(503))
      defer { receiver.stop() }
      let shop = try await Shop(fixture)
      _ = try await subscribe(receiver.url, fixture)
      let id = try await complete(shop)
      try await run(fixture) {
        try await until {
          // The test does not wait for the backoff.
          try await fixture.hurry()
          return try await fixture.job(id)?.state == .succeeded
        }
      }
      #expect(receiver.requests.count == 3)
      #expect(Set(receiver.requests.map { $0.headers["idempotency-key"] }) == ["job:\(id.text)"])
      let attempts = try await fixture.attempts(id)
      #expect(attempts.map(\.outcome) == [.failed, .failed, .succeeded])
      #expect(attempts.map(\.error) == ["the receiver answered 500", "the receiver answered 503", nil])
    }
  }

  @Test(arguments: [[404, 404], [400, 401], [301, 308], [403, 422], [418, 499], [405, 503]])
  func `every answer but 2xx is repeated until the receiver takes the event`(answers: [Int]) async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.status(answers[0]), .status(answers[1]))
      defer { receiver.stop() }
      let shop = try await Shop(fixture)
      _ = try await subscribe(receiver.url, fixture)
      let id = try await complete(shop)
      try await run(fixture) {
        try await until {
          try await fixture.hurry()
          return try await fixture.job(id)?.state == .succeeded
        }
      }
      #expect(receiver.requests.count == 3)
      let log = try await WebhookAdministration(fixture.services).attempts(fixture.operatorContext, job: id)
      #expect(log.map(\.outcome) == [.retrying, .retrying, .delivered])
      if answers[0] == 301 {
        #expect(log[0].reason == "the receiver answered 301, and redirects are not followed")
      }
    }
  }

  @Test func `by default no webhook reaches this machine`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver()
      defer { receiver.stop() }
      let shop = try await Shop(fixture)
      _ = try await subscribe(receiver.url, fixture)
      let id = try await complete(shop)
      try await run(fixture, policy: .publicOnly) { try await fixture.reach(.retrying, id) }
      #expect(receiver.requests.isEmpty)
    }
  }

  @Test func `an address that was removed meanwhile is not called`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver()
      defer { receiver.stop() }
      let shop = try await Shop(fixture)
      _ = try await subscribe(receiver.url, fixture)
      let id = try await complete(shop)
      let administration = WebhookAdministration(fixture.services)
      for hook in try await administration.list(fixture.operatorContext) {
        try await administration.remove(fixture.operatorContext, id: hook.id)
      }
      try await run(fixture) { try await fixture.reach(.succeeded, id) }
      #expect(receiver.requests.isEmpty)
    }
  }

  @Test func `every attempt is in the delivery log, with the answer and why it failed`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.text(500, "out of paper"), .status(200))
      defer { receiver.stop() }
      let shop = try await Shop(fixture)
      _ = try await subscribe(receiver.url, fixture)
      let id = try await complete(shop)
      try await run(fixture) {
        try await until {
          try await fixture.hurry()
          return try await fixture.job(id)?.state == .succeeded
        }
      }
      let webhooks = WebhookAdministration(fixture.services)
      let attempts = try await webhooks.attempts(fixture.operatorContext, job: id)
      #expect(attempts.map(\.outcome) == [.retrying, .delivered])
      #expect(attempts.map(\.status) == [500, 200])
      #expect(attempts.map(\.reason) == ["the receiver answered 500", nil])
      #expect(attempts.map(\.answer) == ["out of paper", nil])
      #expect(attempts.allSatisfy { $0.event == "maintenance.entry.completed" && $0.recordID == shop.entry })
      let failed = try await webhooks.deliveries(fixture.operatorContext, failed: true, limit: 10)
      #expect(failed.map(\.id) == [attempts[0].id])
    }
  }

  @Test func `a test is delivered once, also to a webhook that is switched off, and logged`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.status(200), .status(503))
      defer { receiver.stop() }
      let secret = try await subscribe(receiver.url, fixture)
      let webhooks = WebhookAdministration(fixture.services)
      let hook = try #require(try await webhooks.list(fixture.operatorContext).first)
      try await webhooks.change(fixture.operatorContext, id: hook.id, events: hook.events, isActive: false)
      try await run(fixture) {
        let first = try await webhooks.test(fixture.operatorContext, id: hook.id)
        try await fixture.reach(.succeeded, first)
        let second = try await webhooks.test(fixture.operatorContext, id: hook.id)
        // No lost event, so no dead job.
        try await fixture.reach(.succeeded, second)
        let last = try await webhooks.attempts(fixture.operatorContext, job: second)
        #expect(last.map(\.outcome) == [.failed] && last.map(\.status) == [503])
      }
      let request = try #require(receiver.requests.first)
      #expect(receiver.requests.count == 2)
      #expect(request.headers["fettle-event"] == "webhook.test")
      let signature = try #require(request.headers["fettle-signature"])
      #expect(
        WebhookSignature.isValid(signature, for: request.body, key: secret, now: Int64(time(nil)))
      )
      let body = try JSON(text: String(decoding: request.body, as: UTF8.self)).value().object ?? [:]
      #expect(body["company"] == "acme" && body["webhook_id"] == .string(hook.id.text))
      await #expect(throws: DomainError.self) { try await webhooks.test(fixture.operatorContext, id: UUID()) }
    }
  }

  @Test func `a redelivery sends the same event under the same key to where the webhook is now`() async throws
  {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.status(400), .status(204))
      defer { receiver.stop() }
      let shop = try await Shop(fixture)
      _ = try await subscribe(receiver.url, fixture)
      let id = try await complete(shop)
      try await allowOneAttempt(fixture)
      let webhooks = WebhookAdministration(fixture.services)
      try await run(fixture) {
        try await fixture.reach(.dead, id)
        let failed = try #require(
          try await webhooks.attempts(fixture.operatorContext, job: id).first
        )
        let again = try await webhooks.redeliver(fixture.operatorContext, attempt: failed.id)
        try await fixture.reach(.succeeded, again)
      }
      let requests = receiver.requests
      #expect(requests.count == 2 && requests[0].body == requests[1].body)
      #expect(Set(requests.map { $0.headers["idempotency-key"] }) == ["job:\(id.text)"])
      let viewer = try await ActingContexts(fixture.services).take(
        company: "acme",
        operatorName: "tester",
        as: "vera"
      )
      let attempt = try #require(try await webhooks.deliveries(fixture.operatorContext, limit: 1).first)
      let refusal = await #expect(throws: DomainError.self) {
        try await webhooks.redeliver(viewer, attempt: attempt.id)
      }
      #expect(refusal?.code == .forbidden)
    }
  }

  private func subscribe(
    _ url: String,
    _ fixture: JobFixture
  ) async throws -> [UInt8] {
    let added = try await WebhookAdministration(fixture.services).add(
      fixture.operatorContext,
      url: url,
      events: ["maintenance.entry.completed"],
      fault: Webhook.fault
    )
    return try #require(Hex.decode(added.secret))
  }

  /// Completes the shop's entry and returns the delivery that follows.
  private func complete(_ shop: Shop) async throws -> UUID {
    try await shop.take("start")
    try await shop.take("complete")
    let ids = try await shop.fixture.superuser.rows(
      "select id from core.job where kind = 'webhook.deliver'",
      UUID.self
    )
    try #require(ids.count == 1)
    return ids[0]
  }

  /// Makes the next attempt of the deliveries the last one.
  private func allowOneAttempt(_ fixture: JobFixture) async throws {
    try await fixture.superuser.execute(
      "update core.job_queued set max_attempts = 1 where kind = \(WebhookDelivery.jobKind)"
    )
  }

  private func run(
    _ fixture: JobFixture,
    policy: NetworkPolicy = .publicAndPrivate,
    _ body: @Sendable () async throws -> Void
  ) async throws {
    var handlers = HandlerTable()
    handlers.add(WebhookHandler(WebhookClient(policy: policy), keys: fixture.services.keys))
    try await fixture.working(fixture.worker(handlers)) { try await body() }
  }
}
