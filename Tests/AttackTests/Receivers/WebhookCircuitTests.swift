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

/// The circuit breaker between workers and a receiver of webhooks that keeps failing.
@Suite(.serialized, .timeLimit(.minutes(60))) struct WebhookCircuitTests {
  @Test func `deliveries to a failing receiver wait without attempts, and none is lost`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.status(503), .status(503), .status(503), .status(503), .status(503))
      defer { receiver.stop() }
      let deliveries = try await Deliveries(fixture, to: receiver.url)
      try await deliveries.enqueue(8)
      // One delivery at a time: none is under way when the circuit opens.
      try await deliveries.working(concurrency: 1) {
        try await until {
          guard try await deliveries.shown().openSince != nil else { return false }
          // A delivery whose pause is over is claimed, and counts an attempt until it is postponed again.
          return try await deliveries.areAtRest(8, attempts: 5)
        }
        #expect(receiver.requests.count == 5)
        // They return before the pause is over, and wait again.
        let rounds = try await self.rounds(fixture)
        try await fixture.hurry()
        try await until {
          guard try await self.rounds(fixture) >= rounds + 8 else { return false }
          return try await deliveries.areAtRest(8, attempts: 5)
        }
        #expect(receiver.requests.count == 5)
        // After the pause, the receiver answers 204.
        try await fixture.superuser.execute("update core.webhook_circuit set retry_at = now()")
        try await until {
          try await fixture.hurry()
          return try await deliveries.count("succeeded") == 8
        }
      }
      #expect(receiver.requests.count == 13)
      let shown = try await deliveries.shown()
      #expect(shown.openSince == nil && shown.failures == 0 && shown.reason == nil)
    }
  }

  @Test func `one delivery probes a failing receiver, and its failure prolongs the pause`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(.status(503))
      defer { receiver.stop() }
      let deliveries = try await Deliveries(fixture, to: receiver.url)
      try await deliveries.open(retryIn: "-1 second")
      try await deliveries.enqueue(20)
      try await deliveries.working {
        try await until { try await deliveries.areAtRest(20, attempts: 1) }
      }
      #expect(receiver.requests.count == 1)
      let pause = try await fixture.superuser.value(
        "select extract(epoch from retry_at - failed_at)::int from core.webhook_circuit where probes = 1",
        as: Int.self
      )
      #expect(pause == 60)
    }
  }

  @Test func `the admins of the company get one notice when a circuit opens`() async throws {
    try await JobFixture.open { fixture in
      let deliveries: Deliveries
      let receiver = try HookReceiver(.status(500), .status(500), .status(500), .status(500), .status(500))
      defer { receiver.stop() }
      deliveries = try await Deliveries(fixture, to: receiver.url)
      try await deliveries.enqueue(8)
      try await deliveries.working(concurrency: 1) {
        try await until { try await deliveries.postponed() == 8 }
      }
      #expect(try await deliveries.shop.notices() == ["Eva": 1, "Olle": 1])
      let notices = try await Inbox(fixture.services).list(fixture.operatorContext, limit: 10)
      #expect(notices.allSatisfy { $0.template == "webhook_failing" })
      let data = try #require(notices.first?.data.value().object)
      #expect(data["reason"] == "the receiver answered 500")
      // The path of an address may contain a secret.
      #expect(data["receiver"]?.string?.hasPrefix("127.0.0.1:") == true)
      #expect(data["receiver"]?.string?.contains("hook") == false)
    }
  }

  @Test(arguments: [400, 302, 404])
  func `every answer but 2xx counts, as does an address that webhooks may not reach`(status: Int) async throws
  {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver(further: .status(status))
      defer { receiver.stop() }
      let deliveries = try await Deliveries(fixture, to: receiver.url)
      try await deliveries.enqueue(6)
      let policy: NetworkPolicy = status == 404 ? .publicOnly : .publicAndPrivate
      try await deliveries.working(concurrency: 1, policy: policy) {
        try await until {
          guard try await deliveries.shown().openSince != nil else { return false }
          return try await deliveries.areAtRest(6, attempts: 5)
        }
      }
      #expect(try await deliveries.shown().failures == 5)
      #expect(receiver.requests.count == (status == 404 ? 0 : 5))
    }
  }

  @Test func `deliveries do not wait for a receiver for more than three days`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver()
      defer { receiver.stop() }
      let deliveries = try await Deliveries(fixture, to: receiver.url)
      try await deliveries.open(retryIn: "1 hour", since: "4 days")
      let ids = try await deliveries.enqueue(3)
      try await deliveries.working { try await until { try await deliveries.count("dead") == 3 } }
      #expect(receiver.requests.isEmpty)
      #expect(
        try await fixture.attempts(ids[0]).map(\.error) == [
          "the receiver has failed for days: the receiver answered 503"
        ]
      )
    }
  }

  @Test func `a test that is delivered closes the circuit, and a change of the webhook too`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver()
      defer { receiver.stop() }
      let deliveries = try await Deliveries(fixture, to: receiver.url)
      let webhooks = WebhookAdministration(fixture.services)
      try await deliveries.open(retryIn: "1 hour")
      let test = try await webhooks.test(fixture.operatorContext, id: deliveries.webhook)
      try await deliveries.working { try await fixture.reach(.succeeded, test) }
      #expect(try await deliveries.shown().openSince == nil)
      try await deliveries.open(retryIn: "1 hour")
      let shown = try await deliveries.shown()
      #expect(shown.openSince != nil && shown.retryAt != nil)
      try await webhooks.change(fixture.operatorContext, id: shown.id, events: shown.events, isActive: true)
      #expect(try await deliveries.shown().openSince == nil)
    }
  }

  @Test func `a company sees and closes no circuit of another`() async throws {
    try await JobFixture.open { fixture in
      let receiver = try HookReceiver()
      defer { receiver.stop() }
      let deliveries = try await Deliveries(fixture, to: receiver.url)
      try await deliveries.open(retryIn: "1 hour")
      let other = try await Companies(fixture.services).create(
        slug: "other",
        name: "Other",
        timeZone: "UTC",
        owner: (email: "owner@other.example", name: "Olga"),
        actor: .operator("tester")
      ).company
      let (seen, closed) = try await fixture.workers.transaction(.inside(other.id)) { tx in
        (
          try tx.value("select count(*)::int from core.webhook_circuit", as: Int.self),
          try tx.execute("delete from core.webhook_circuit")
        )
      }
      #expect(seen == 0 && closed == 0)
      #expect(try await deliveries.shown().openSince != nil)
    }
  }

  /// The sum of the rounds of postponed deliveries, which grows by one whenever a delivery returns.
  private func rounds(_ fixture: JobFixture) async throws -> Int {
    try await fixture.superuser.value(
      "select coalesce(sum(round), 0)::int from core.job_deferred where kind = \(WebhookDelivery.jobKind)",
      as: Int.self
    )
  }
}
