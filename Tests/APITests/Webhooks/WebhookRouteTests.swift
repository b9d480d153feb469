import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import Store
import Testing

/// Webhooks over the API: rights, rotation, and the events of records.
@Suite(.timeLimit(.minutes(60))) struct WebhookRouteTests {
  private static func open() async throws -> APIFixture {
    try await APIFixture.open { services in WebhookRoutes(services).routes }
  }

  /// Adds a webhook whose host does not resolve, so that no name server is asked for a public one.
  private static func add(_ events: [String], _ api: APIFixture) async throws -> (id: UUID, secret: String) {
    try await WebhookAdministration(api.services).add(
      api.shop.acting("owner"),
      url: "https://hook.invalid/in",
      events: events
    ) { _ in nil }
  }

  /// The events of the company's queued deliveries, sorted.
  private static func queued(_ api: APIFixture) async throws -> [String] {
    try await api.shop.engine.superuser.rows(
      """
      select j.payload ->> 'event' from core.job_queued j
      where j.company_id = \(api.shop.company.id) and j.kind = 'webhook.deliver'
      order by 1
      """,
      String.self
    )
  }

  @Test func `an admin manages webhooks, and the secret is shown once`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    let made = try await api.post(
      "/v1/webhooks",
      ["url": "https://hook.invalid/in", "events": ["maintenance.entry.*"]],
      as: admin
    )
    #expect(made.status == 201, "\(made.text)")
    let (id, secret) = (try #require(made.json["id"]?.string), try #require(made.json["secret"]?.string))
    let shown = try await api.get("/v1/webhooks/\(id)", as: admin)
    #expect(shown.json["events"] == ["maintenance.entry.*"] && !shown.text.contains(secret))
    #expect(try await api.patch("/v1/webhooks/\(id)", ["active": false], as: admin).status == 204)
    let off = try await api.get("/v1/webhooks/\(id)", as: admin).json
    #expect(off["active"] == false && off["events"] == ["maintenance.entry.*"])
    #expect(try await api.post("/v1/webhooks/\(id)/test", as: admin).status == 202)
    #expect(try await api.get("/v1/webhooks/\(id)/deliveries", as: admin).items.isEmpty)
    #expect(try await api.delete("/v1/webhooks/\(id)", as: admin).status == 204)
    #expect(try await api.get("/v1/webhooks/\(id)", as: admin).code == .notFound)
  }

  @Test(arguments: [
    "http://127.0.0.1/", "http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "ftp://x.example/",
    "https://a:b@x.example/",
  ])
  func `an address that workers do not reach is refused`(_ url: String) async throws {
    let api = try await Self.open()
    let answer = try await api.post(
      "/v1/webhooks",
      ["url": .string(url), "events": ["maintenance.entry.*"]],
      as: api.member("admin")
    )
    #expect(answer.code == .invalidInput)
  }

  @Test func `users, viewers and narrow tokens neither read nor change webhooks`() async throws {
    let api = try await Self.open()
    let id = try await Self.add(["maintenance.entry.completed"], api).id.text
    let callers = [
      try api.member("user"), try api.member("viewer"),
      try await api.token("owner", scopes: ["company.read", "company.update"]),
    ]
    for caller in callers {
      for path in ["", "/events", "/\(id)", "/\(id)/deliveries"] {
        #expect(try await api.get("/v1/webhooks\(path)", as: caller).code == .forbidden, "\(path)")
      }
      for path in ["/\(id)/test", "/\(id)/rotate", "/\(id)/deliveries/\(UUID().text)/redeliver"] {
        #expect(try await api.post("/v1/webhooks\(path)", as: caller).code == .forbidden, "\(path)")
      }
      #expect(try await api.patch("/v1/webhooks/\(id)", ["active": false], as: caller).code == .forbidden)
      #expect(try await api.delete("/v1/webhooks/\(id)", as: caller).code == .forbidden)
    }
    let reader = try await api.token("owner", scopes: ["webhook.read"])
    #expect(try await api.get("/v1/webhooks", as: reader).items.count == 1)
    #expect(try await api.post("/v1/webhooks/\(id)/rotate", as: reader).code == .forbidden)
  }

  @Test func `another company's webhook is as unknown as a random id`() async throws {
    let (api, other) = (try await Self.open(), try await Self.open())
    let foreign = try await Self.add(["maintenance.entry.completed"], other).id.text
    let admin = try api.member("admin")
    func problems(_ id: String) async throws -> [JSONObject] {
      [
        try await api.get("/v1/webhooks/\(id)", as: admin).problem,
        try await api.get("/v1/webhooks/\(id)/deliveries", as: admin).problem,
        try await api.patch("/v1/webhooks/\(id)", ["active": false], as: admin).problem,
        try await api.post("/v1/webhooks/\(id)/rotate", as: admin).problem,
        try await api.post("/v1/webhooks/\(id)/test", as: admin).problem,
        try await api.delete("/v1/webhooks/\(id)", as: admin).problem,
      ]
    }
    let theirs = try await problems(foreign)
    #expect(try await problems(UUID().text) == theirs)
    #expect(theirs.allSatisfy { $0["status"] == 404 })
  }

  @Test func `after a rotation both secrets are in use, after a second one the last two`() async throws {
    let api = try await Self.open()
    let (id, first) = try await Self.add(["maintenance.entry.completed"], api)
    let admin = try api.member("admin")
    func rotate() async throws -> String {
      let answer = try await api.post("/v1/webhooks/\(id.text)/rotate", as: admin)
      #expect(answer.json["previous_until"]?.string != nil)
      return try #require(answer.json["secret"]?.string)
    }
    func stored() async throws -> [String?] {
      let row = try await api.shop.engine.superuser.rows(
        "select w.secret, w.previous_secret from core.webhook w where w.id = \(id)",
        [UInt8].self,
        [UInt8]?.self
      )
      let (now, before) = try #require(row.first)
      let keys = try api.services.keys()
      let place = WebhookAdministration.place(of: id, company: api.shop.company.id)
      return try [now, before].map { sealed in
        try sealed.map { Hex.encode(try SealedSecret.open($0, for: place, with: keys)) }
      }
    }
    let second = try await rotate()
    #expect(try await stored() == [second, first])
    let third = try await rotate()
    #expect(try await stored() == [third, second])
    #expect(Set([first, second, third]).count == 3)
  }

  @Test func `every change of a record is an event, once for each webhook`() async throws {
    let api = try await Self.open()
    _ = try await Self.add(["maintenance.entry.*", "maintenance.entry.created"], api)
    _ = try await Self.add(["maintenance.entry.transitioned"], api)
    let entry = try await api.shop.entry()
    #expect(try await Self.queued(api) == ["maintenance.entry.created"])
    try await api.shop.take("start", entry)
    let moved = ["maintenance.entry.created"] + Array(repeating: "maintenance.entry.transitioned", count: 2)
    #expect(try await Self.queued(api) == moved)
    let admin = api.shop.acting("admin")
    _ = try await api.shop.records.update(
      admin,
      type: "maintenance.entry",
      id: entry,
      fields: ["description": "leaks more"]
    )
    #expect(try await Self.queued(api) == moved + ["maintenance.entry.updated"])
  }

  @Test func `events of private records, of other types and of inactive webhooks are not sent`() async throws
  {
    let api = try await Self.open()
    let hook = try await Self.add(["maintenance.machine.created"], api).id
    _ = try await api.shop.entry()
    #expect(try await Self.queued(api).isEmpty)
    let error = await #expect(throws: DomainError.self) {
      _ = try await Self.add(["macros.entry.created"], api)
    }
    #expect(error?.code == .invalidInput)
    try await WebhookAdministration(api.services).change(api.shop.acting("owner"), id: hook, isActive: false)
    _ = try await api.shop.records.create(
      api.shop.acting("admin"),
      type: "maintenance.machine",
      fields: ["code": "RM-002", "name": "Paver"]
    )
    #expect(try await Self.queued(api).isEmpty)
  }

  @Test func `failed deliveries are delivered again, each once while it waits`() async throws {
    let api = try await Self.open()
    let (admin, user) = (try api.member("admin"), try api.member("user"))
    let id = try await Self.add(["maintenance.machine.created"], api).id
    func log(_ delivery: String, _ outcomes: String...) async throws {
      for (number, outcome) in outcomes.enumerated() {
        try await api.shop.engine.superuser.execute(
          """
          insert into core.webhook_delivery
            (company_id, id, webhook_id, job_id, delivery, event, record_type, record_id, history_seq, attempt, at,
             duration_ms, outcome, reason)
          values (\(api.shop.company.id), gen_random_uuid(), \(id), gen_random_uuid(), \(delivery),
                  'maintenance.machine.created', 'maintenance.machine', gen_random_uuid(), 1, \(Int32(number + 1)),
                  now() + make_interval(secs => \(Double(number))), 5, \(outcome),
                  case when \(outcome) <> 'delivered' then 'the receiver answered 404' end)
          """
        )
      }
    }
    try await log("lost", "retrying", "failed")
    try await log("taken later", "failed", "delivered")
    try await log("still repeated", "retrying")
    let path = "/v1/webhooks/\(id.text)/redeliver"
    let since: JSONObject = ["since": "2026-01-01T00:00:00Z"]
    #expect(try await api.post(path, since, as: user).code == .forbidden)
    #expect(try await api.post(path, ["since": "yesterday"], as: admin).code == .invalidInstant)
    let first = try await api.post(path, since, as: admin)
    #expect(first.status == 202 && first.json == ["events": 1, "complete": true])
    #expect(try await api.post(path, since, as: admin).json == ["events": 0, "complete": true])
    #expect(try await Self.queued(api) == ["maintenance.machine.created"])
    let keys = try await api.shop.engine.superuser.rows(
      "select j.payload ->> 'delivery' from core.job_queued j where j.company_id = \(api.shop.company.id)",
      String?.self
    )
    #expect(keys == ["lost"])
    try await WebhookAdministration(api.services).change(api.shop.acting("owner"), id: id, isActive: false)
    #expect(try await api.post(path, since, as: admin).code == .wrongState)
  }
}
