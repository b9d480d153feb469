import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Secrets
import Store
import TestDatabase
import TestTools
import Testing
import Webhooks

/// Receivers of webhooks that hang, so that workers wait for them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SlowReceiverTests {
  /// No delivery ends by itself during a test.
  private static let endless = WebhookClient.Limits(connecting: .seconds(3_600), total: .seconds(3_600))

  @Test(arguments: [2, 8])
  func `jobs of another company are done while forty deliveries hang`(concurrency: Int) async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.silence)
      defer { receiver.stop() }
      let deliveries = try await Deliveries(fixture, to: receiver.url)
      try await deliveries.enqueue(40)
      let other = try await company("other", fixture)
      // Nothing is known of the receiver yet.
      let hanging = 1
      try await deliveries.working(concurrency: concurrency, limits: Self.endless) {
        try await until { try await deliveries.count("running") == hanging }
        for _ in 0..<40 { try await enqueue(in: other, kind: "test.job", JSON(text: "{}"), fixture) }
        try await until { try await count(of: other, fixture) == 40 }
        // None has ended meanwhile, and no other one has begun.
        let (running, queued) = (try await deliveries.count("running"), try await deliveries.count("queued"))
        #expect(running == hanging)
        #expect(queued == 40 - hanging)
      }
    }
  }

  @Test func `any number of late companies delays neither another receiver nor other kinds`() async throws {
    try await JobFixture.open { fixture in
      let (late, prompt) = (try HookReceiver(.silence), try HookReceiver())
      defer {
        late.stop()
        prompt.stop()
      }
      let deliveries = try await Deliveries(fixture, to: prompt.url)
      for number in 1...20 {
        let company = try await company("late-\(number)", fixture)
        let id = try await WebhookAdministration(fixture.services).add(
          ActingContext(company: company, actor: .operator("tester"), user: nil),
          url: late.url,
          events: ["maintenance.entry.completed"],
          fault: Webhook.fault
        ).id
        let test = WebhookDelivery(webhookID: id, event: WebhookDelivery.testEvent)
        let payload = try JSON(encoding: test)
        for _ in 0..<3 { try await enqueue(in: company, kind: WebhookDelivery.jobKind, payload, fixture) }
      }
      // More late companies than slots; each waits in a place of its own.
      try await deliveries.working(concurrency: 4, limits: Self.endless) {
        try await until { try await deliveries.count("running") == 20 }
        try await deliveries.enqueue(5)
        let job = try await fixture.enqueue()
        try await fixture.reach(.succeeded, job)
        try await until { prompt.requests.count == 5 }
        #expect(try await deliveries.count("running") >= 20)
      }
    }
  }

  @Test func `a limit of an operator replaces that of the kind`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.silence)
      defer { receiver.stop() }
      let deliveries = try await Deliveries(fixture, to: receiver.url)
      try await deliveries.enqueue(40)
      try await QueueAdministration(fixture.services).limit(
        fixture.operatorContext,
        queue: nil,
        kind: WebhookDelivery.jobKind,
        forEach: false,
        maxRunning: 5,
        rate: nil
      )
      try await deliveries.working(limits: Self.endless) {
        try await until { try await deliveries.count("running") == 5 }
        let job = try await fixture.enqueue()
        try await fixture.reach(.succeeded, job)
        #expect(try await deliveries.count("running") == 5)
      }
    }
  }

  @Test func `a receiver that never answers in time is left alone`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.silence, .silence, .silence, .silence, .silence)
      defer { receiver.stop() }
      let deliveries = try await Deliveries(fixture, to: receiver.url)
      try await deliveries.enqueue(20)
      var limits = WebhookClient.Limits()
      limits.total = .milliseconds(200)
      // One delivery at a time: none is under way when the circuit opens.
      try await deliveries.working(concurrency: 1, limits: limits) {
        try await until {
          guard try await deliveries.shown().openSince != nil else { return false }
          return try await deliveries.postponed() == 20
        }
      }
      #expect(try await deliveries.attempts() == 5)
      #expect(try await deliveries.shown().failures == 5)
    }
  }

  /// Creates another company.
  private func company(_ slug: String, _ fixture: JobFixture) async throws -> CompanyRow {
    try await Companies(fixture.services).create(
      slug: slug,
      name: slug.capitalized,
      timeZone: "UTC",
      owner: (email: "owner@\(slug).example", name: "Olga"),
      actor: .operator("tester")
    ).company
  }

  /// Enqueues a job of another company.
  private func enqueue(
    in company: CompanyRow,
    kind: String,
    _ payload: JSON,
    _ fixture: JobFixture
  ) async throws {
    let job = NewJob(id: fixture.services.ids.next(), kind: kind, payload: payload)
    try await fixture.services.database.transaction(.inside(company.id)) { tx in
      try JobOutbox.write([job], company: company.id, traceID: nil, tx)
    }
  }

  /// The number of a company's jobs that have succeeded.
  private func count(of company: CompanyRow, _ fixture: JobFixture) async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.job where company_id = \(company.id) and state = 'succeeded'",
      as: Int.self
    )
  }
}
