import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Secrets
import Store
import TestDatabase
import Testing
import Webhooks

/// A company with a webhook and deliveries to it.
struct Deliveries {
  let fixture: JobFixture
  let shop: Shop
  let webhook: UUID

  /// Adds a webhook at an address.
  init(_ fixture: JobFixture, to url: String) async throws {
    self.fixture = fixture
    shop = try await Shop(fixture)
    webhook = try await WebhookAdministration(fixture.services).add(
      fixture.operatorContext,
      url: url,
      events: ["maintenance.entry.completed"],
      fault: Webhook.fault
    ).id
  }

  /// Enqueues deliveries of an event of the shop's entry.
  @discardableResult
  func enqueue(_ count: Int, maxAttempts: Int = WebhookDelivery.maxAttempts) async throws -> [UUID] {
    let delivery = WebhookDelivery(
      webhookID: webhook,
      event: "maintenance.entry.completed",
      recordType: "maintenance.entry",
      recordID: shop.entry,
      historySeq: 1
    )
    var ids: [UUID] = []
    for _ in 0..<count {
      ids.append(
        try await fixture.enqueue(
          WebhookDelivery.jobKind,
          maxAttempts: maxAttempts,
          payload: try JSON(encoding: delivery)
        )
      )
    }
    return ids
  }

  /// Opens the circuit, with a pause that ends at a time from now.
  func open(retryIn pause: String, since age: String = "1 minute") async throws {
    try await fixture.superuser.execute(
      """
      insert into core.webhook_circuit (company_id, webhook_id, failures, reason, opened_at, retry_at)
      values (\(fixture.company), \(webhook), 5, 'the receiver answered 503', now() - \(age)::text::interval,
              now() + \(pause)::text::interval)
      """
    )
  }

  /// The webhook as lists show it.
  func shown() async throws -> WebhookRow {
    try #require(try await WebhookAdministration(fixture.services).list(fixture.operatorContext).first)
  }

  /// The number of deliveries in a state of `core.job`.
  func count(_ state: String) async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.job where kind = \(WebhookDelivery.jobKind) and state = \(state)",
      as: Int.self
    )
  }

  /// The number of postponed deliveries.
  func postponed() async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.job_deferred where kind = \(WebhookDelivery.jobKind)",
      as: Int.self
    )
  }

  /// The number of attempts that all deliveries have used.
  func attempts() async throws -> Int {
    try await fixture.superuser.value(
      "select coalesce(sum(attempt), 0)::int from core.job where kind = \(WebhookDelivery.jobKind)",
      as: Int.self
    )
  }

  /// True if a number of deliveries are postponed, and all have used a number of attempts.
  func areAtRest(_ count: Int, attempts used: Int) async throws -> Bool {
    guard try await postponed() == count else { return false }
    return try await attempts() == used
  }

  /// Runs a worker with the handler of webhooks and a handler of `test.job` during a body.
  func working(
    concurrency: Int = 8,
    limits: WebhookClient.Limits = WebhookClient.Limits(),
    policy: NetworkPolicy = .publicAndPrivate,
    _ body: () async throws -> Void
  ) async throws {
    var handlers = HandlerTable(TestHandler { _ in .none })
    let pool = ThreadPool(threads: WorkerConfiguration.defaultPlaces, queueLimit: 1_024)
    handlers.add(
      WebhookHandler(WebhookClient(policy: policy, limits: limits, pool: pool), keys: fixture.services.keys)
    )
    let worker = fixture.worker(handlers) {
      $0.concurrency = concurrency
      // One slot: one delivery at a time.
      if concurrency == 1 { $0.places = 1 }
      // A delivery that hangs does not keep the worker from stopping.
      $0.grace = .zero
    }
    try await fixture.working(worker, body)
  }
}
