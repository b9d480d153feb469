import AppInterfaces
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

@testable import Apps

@Suite(.serialized, .timeLimit(.minutes(60))) struct PushTests {
  @Test func `the waits between deliveries are half a minute, two and eight`() {
    let limits = (1...3).map { PushSettlement.retries.limit(afterAttempt: $0) }
    #expect(limits == [30, 120, 480].map(Duration.seconds))
  }

  @Test func `a flaky utility gets one effective push under one key`() async throws {
    let utility = try HookReceiver(.status(500), .status(500), .text(200, #"{"ref":"GR-17"}"#))
    defer { utility.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: utility.url)
      let id = try await grid.record("3.250")
      try await grid.work(until: "pushed", id)
      #expect(utility.requests.count == 3)
      #expect(Set(utility.requests.map { $0.headers["idempotency-key"] }) == [id.text])
      let body =
        try JSONValue(parsing: String(decoding: utility.requests[2].body, as: UTF8.self)).object ?? [:]
      #expect(body["recording_id"] == .string(id.text))
      #expect(body["value"]?.number == (try ExactDecimal(parsing: "3.25")))
      #expect(body["unit"] == "kW" && body["site"] == "Roof")
      #expect(body["taken_at"] == "2026-03-01T12:00:00.000000Z")
      let shown = try await grid.show(id)
      #expect(shown["push_attempts"]?.number == 3)
      #expect(shown["utility_ref"] == "GR-17")
      #expect(shown["last_error"]?.isNull == true)
      #expect(shown["pushed_at"]?.string != nil)
      #expect(
        try await grid.steps(id) == [
          "create", "queue_push", "begin", "backoff", "begin", "backoff", "begin", "ack",
        ]
      )
      #expect(try await grid.open("solar.push") == 0)
      #expect(try await grid.records.verify(fixture.operatorContext, type: "solar.recording", id: id) == nil)
    }
  }

  @Test func `after three failures it has failed, people are told, and one of them can try again`()
    async throws
  {
    let utility = try HookReceiver(.status(500), .status(503), .status(500), .status(200))
    defer { utility.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: utility.url)
      let id = try await grid.record()
      try await grid.work(until: "push_failed", id)
      #expect(utility.requests.count == 3)
      let failed = try await grid.show(id)
      #expect(failed["push_attempts"]?.number == 3)
      #expect(failed["last_error"] == "the receiver answered 500")
      try await grid.work(until: "push_failed", id)
      try await fixture.working(
        fixture.worker(CompiledApps.handlers(grid.records, policy: .publicAndPrivate))
      ) {
        try await until { try await grid.open("notify.send") == 0 }
      }
      let told = try await fixture.superuser.rows(
        """
        select distinct u.name from core.notification n
        join core.app_user u on u.id = n.user_id
        where n.template = 'solar.push_failed'
        order by 1
        """,
        String.self
      )
      #expect(told == ["Ana", "Eva", "Olle"])
      let refusal = await #expect(throws: DomainError.self) {
        _ = try await grid.records.transition(
          grid.ana,
          type: "solar.recording",
          id: id,
          request: TransitionRequest("retry")
        )
      }
      #expect(refusal?.code == .forbidden)
      try await grid.retry(id)
      let again = try await grid.show(id)
      #expect(again["push_attempts"]?.number == 0 && again["last_error"]?.isNull == true)
      try await grid.work(until: "pushed", id)
      #expect(utility.requests.count == 4)
      #expect(Set(utility.requests.map { $0.headers["idempotency-key"] }) == [id.text])
    }
  }

  @Test(arguments: [400, 401, 404, 422])
  func `a recording refused by the utility is not sent again`(status: Int) async throws {
    let utility = try HookReceiver(.status(status))
    defer { utility.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: utility.url)
      let id = try await grid.record()
      try await grid.work(until: "push_failed", id)
      #expect(utility.requests.count == 1)
      #expect(try await grid.show(id)["push_attempts"]?.number == 1)
      #expect(try await grid.show(id)["last_error"] == .string("the receiver answered \(status)"))
      #expect(try await grid.open("solar.push") == 0)
    }
  }

  @Test func `that the utility has it already is success`() async throws {
    let utility = try HookReceiver(.text(409, #"{"ref":"GR-1"}"#))
    defer { utility.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: utility.url)
      let id = try await grid.record()
      try await grid.work(until: "pushed", id)
      #expect(utility.requests.count == 1)
      #expect(try await grid.show(id)["utility_ref"] == "GR-1")
    }
  }

  @Test func `429 is tried again`() async throws {
    let utility = try HookReceiver(.status(429))
    defer { utility.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: utility.url)
      let id = try await grid.record()
      try await grid.work(until: "pushed", id)
      #expect(utility.requests.count == 2)
    }
  }

  @Test func `a utility that names a time is not asked before it, nor sooner than otherwise`() async throws {
    let utility = try HookReceiver(.later(503, seconds: 7_200), .later(503, seconds: 1), .status(200))
    defer { utility.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: utility.url)
      let id = try await grid.record()
      for (delivery, wait) in [(1, 7_100...7_200), (2, 80...150)] {
        try await grid.working {
          try await until { try await grid.show(id)["push_attempts"]?.number?.text == "\(delivery)" }
        }
        let seconds = try await fixture.superuser.value(
          "select extract(epoch from run_at - now())::int from core.job_deferred where kind = 'solar.push'",
          as: Int.self
        )
        #expect(wait.contains(seconds), "after delivery \(delivery)")
        try await fixture.hurry()
      }
      try await grid.work(until: "pushed", id)
    }
  }

  @Test func `a worker that dies half way leaves it under way, and the next begins again under the same key`()
    async throws
  {
    let utility = try HookReceiver(.silence, .status(200))
    defer { utility.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: utility.url)
      let id = try await grid.record()
      let worker = fixture.worker(CompiledApps.handlers(grid.records, policy: .publicAndPrivate)) {
        $0.grace = .zero
      }
      let dying = Task { try await worker.run() }
      try await until { utility.requests.count == 1 }
      #expect(try await grid.show(id)["status"] == "pushing")
      // Ends like kill -9: nothing is written, and its locks are released.
      dying.cancel()
      _ = try? await dying.value
      #expect(try await grid.show(id)["status"] == "pushing")
      try await fixture.superuser.execute("update core.worker set lease_until = now() - interval '1 minute'")
      _ = try await fixture.queue.rescue()
      try await grid.work(until: "pushed", id)
      #expect(utility.requests.count == 2)
      #expect(Set(utility.requests.map { $0.headers["idempotency-key"] }) == [id.text])
      #expect(try await grid.steps(id) == ["create", "queue_push", "begin", "begin", "ack"])
    }
  }

  @Test func `a reading to be pushed is refused at a site without an account`() async throws {
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: nil)
      let refusal = try await refused { _ = try await grid.record() }
      #expect(refusal.code == .wrongState && refusal.message.contains("no utility account"))
    }
  }

  @Test func `a push fails with the reason when its site has lost its account`() async throws {
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: "https://grid.example/in")
      let id = try await grid.record()
      let account = try await fixture.superuser.value(
        "select a.id from solar.utility_account a",
        as: UUID.self
      )
      _ = try await grid.records.delete(fixture.operatorContext, type: "solar.utility_account", id: account)
      try await grid.work(until: "push_failed", id)
      let shown = try await grid.show(id)
      #expect(shown["last_error"] == "the site has no utility account")
      #expect(shown["push_attempts"]?.number == 0)
    }
  }

  @Test func `the secret is sent from the operator's file and is nowhere in the database`() async throws {
    let utility = try HookReceiver()
    defer { utility.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: utility.url, authReference: "grid")
      let missing = try await grid.record("1")
      try await grid.work(until: "push_failed", missing)
      #expect(try await grid.show(missing)["last_error"] == "there is no secret grid for acme")
      try grid.keep("s3cr3t-of-the-grid", under: "grid", mode: 0o644)
      try await grid.retry(missing)
      try await grid.work(until: "push_failed", missing)
      #expect(try await grid.show(missing)["last_error"]?.string?.contains("can be read by others") == true)
      #expect(utility.requests.isEmpty)
      try #require(chmodded(grid, "grid"))
      try await grid.retry(missing)
      try await grid.work(until: "pushed", missing)
      #expect(utility.requests.map { $0.headers["authorization"] } == ["Bearer s3cr3t-of-the-grid"])
      let written = try await fixture.superuser.value(
        "select (select string_agg(a::text, '') from solar.utility_account a) || (select string_agg(h.changes::text, '') from core.history h)",
        as: String.self
      )
      #expect(!written.contains("s3cr3t"))
    }
  }

  @Test func `no reading reaches this machine unless the operator allows it`() async throws {
    let utility = try HookReceiver()
    defer { utility.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: utility.url)
      let id = try await grid.record()
      try await grid.work(until: "push_failed", id, policy: .publicOnly)
      #expect(utility.requests.isEmpty)
    }
  }

  private func chmodded(_ grid: Grid, _ name: String) -> Bool {
    chmod("\(grid.secrets.path)/acme/\(name)", 0o600) == 0
  }
}
