import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// `dry_run=true` for people, roles, invites, the company, webhooks and schedules.
@Suite(.timeLimit(.minutes(60))) struct AdministrationDryRunTests {
  /// What administrators see of their company.
  private static let lists = [
    "/v1/company", "/v1/members", "/v1/members?removed=true", "/v1/roles", "/v1/invites", "/v1/webhooks",
    "/v1/audit", "/v1/schedules", "/v1/jobs",
  ]

  private static func open() async throws -> APIFixture {
    try await APIFixture.open { services in
      PeopleRoutes(services, about: AboutSettings(version: "1.2.3", signIn: ["password"])).routes
        + WebhookRoutes(services).routes + JobRoutes(services).routes + ScheduleRoutes(services).routes
    }
  }

  private static func state(_ api: APIFixture) async throws -> [String] {
    var state: [String] = []
    for path in lists {
      let answer = try await api.get(path, as: api.member("owner"))
      #expect(answer.status == 200, "\(path)")
      state.append(answer.text)
    }
    return state
  }

  @Test func `each request of administration can be tried, tells what would be, and changes nothing`()
    async throws
  {
    let api = try await Self.open()
    let owner = try api.member("owner")
    let user = try #require(api.shop.members["user"]).userID.text
    let role = try await api.post("/v1/roles", ["role": "helper", "from": "user"], as: owner)
    #expect(role.status == 201)
    let invite = try await api.post("/v1/invites", ["role": "viewer"], as: owner).json["id"]?.string ?? ""
    let hook: JSONObject = ["url": "https://hook.invalid/in", "events": ["maintenance.entry.*"]]
    let webhook = try await api.post("/v1/webhooks", hook, as: owner).json["id"]?.string ?? ""
    let schedules = try await api.get("/v1/schedules", as: owner).items
    let schedule = try #require(schedules.first?["name"]?.string)
    let before = try await Self.state(api)
    let requests: [(APIMethod, String, JSONObject)] = [
      (.patch, "/v1/company", ["name": "Renamed", "timezone": "Europe/Oslo"]),
      (.post, "/v1/roles", ["role": "other", "from": "user"]),
      (.patch, "/v1/roles/helper", ["from": "viewer"]), (.delete, "/v1/roles/helper", [:]),
      (.post, "/v1/invites", ["role": "viewer", "uses": 3]), (.delete, "/v1/invites/\(invite)", [:]),
      (.patch, "/v1/members/\(user)", ["role": "viewer"]), (.post, "/v1/members/\(user)/suspend", [:]),
      (.delete, "/v1/members/\(user)", [:]), (.post, "/v1/webhooks", hook),
      (.patch, "/v1/webhooks/\(webhook)", ["active": false]), (.post, "/v1/webhooks/\(webhook)/rotate", [:]),
      (.post, "/v1/webhooks/\(webhook)/test", [:]), (.delete, "/v1/webhooks/\(webhook)", [:]),
      (.post, "/v1/schedules/\(schedule)/run", [:]), (.post, "/v1/schedules/\(schedule)/pause", [:]),
    ]
    for (method, path, body) in requests {
      let answer = try await api.send(
        method,
        "\(path)?dry_run=true",
        body.isEmpty ? .none : .json(body),
        as: owner,
        headers: [("idempotency-key", "one-key-for-all")]
      )
      #expect(answer.status == 200, "\(method) \(path): \(answer.text)")
      #expect(answer.json["dry_run"] == true, "\(path)")
      for secret in ["code", "secret"] { #expect(answer.json[secret]?.string == nil, "\(path)") }
      #expect(try await Self.state(api) == before, "\(method) \(path)")
    }
    // A dry run keeps no answer under the key.
    let made = try await api.post(
      "/v1/invites",
      ["role": "viewer"],
      as: owner,
      headers: [("idempotency-key", "one-key-for-all")]
    )
    #expect(made.status == 201 && made.json["code"]?.string != nil)
  }

  @Test func `what would be refused is refused, and other words than true and false are too`() async throws {
    let api = try await Self.open()
    let (owner, user) = (try api.member("owner"), try api.member("user"))
    let role: JSONObject = ["role": "other", "from": "user"]
    #expect(try await api.post("/v1/roles?dry_run=true", role, as: user).status == 403)
    #expect(
      try await api.post("/v1/roles?dry_run=true", ["role": "other", "from": "x"], as: owner).code
        == .unknownRole
    )
    #expect(try await api.post("/v1/roles?dry_run=maybe", role, as: owner).code == .invalidInput)
    #expect(try await api.get("/v1/roles?dry_run=true", as: owner).code == .unknownFields)
    #expect(try await api.post("/v1/roles?dry_run=false", role, as: owner).status == 201)
  }
}
