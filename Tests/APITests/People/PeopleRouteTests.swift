import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Members, invites, roles, settings and audit over the API.
@Suite(.timeLimit(.minutes(60))) struct PeopleRouteTests {
  private static func open(_ shop: Workshop? = nil) async throws -> APIFixture {
    try await APIFixture.open(shop) { services in
      PeopleRoutes(services, about: AboutSettings(version: "1.2.3", signIn: ["password"])).routes
    }
  }

  private static func id(_ api: APIFixture, _ name: String) throws -> String {
    try #require(api.shop.members[name]).userID.text
  }

  @Test func `an admin changes, suspends, resumes and removes a member`() async throws {
    let api = try await Self.open()
    let (admin, user) = (try api.member("admin"), try Self.id(api, "user"))
    #expect(
      try await api.patch("/v1/members/\(user)", ["role": "viewer"], as: admin).json["role"] == "viewer"
    )
    #expect(try await api.post("/v1/members/\(user)/suspend", as: admin).json["status"] == "suspended")
    #expect(try await api.post("/v1/members/\(user)/suspend", as: admin).code == .wrongState)
    #expect(try await api.post("/v1/members/\(user)/resume", as: admin).json["status"] == "active")
    #expect(try await api.delete("/v1/members/\(user)", as: admin).status == 204)
    #expect(try await api.get("/v1/members/\(user)", as: admin).json["status"] == "removed")
    let all = try await api.get("/v1/members", as: admin).items.compactMap { $0["id"]?.string }
    #expect(!all.contains(user))
    let removed = try await api.get("/v1/members?removed=true", as: admin).items.compactMap {
      $0["id"]?.string
    }
    #expect(removed.contains(user))
  }

  @Test(arguments: ["user", "viewer"])
  func `people without the permission read members and change none`(_ name: String) async throws {
    let api = try await Self.open()
    let (caller, owner) = (try api.member(name), try Self.id(api, "owner"))
    #expect(try await api.get("/v1/members/\(owner)", as: caller).status == 200)
    #expect(try await api.patch("/v1/members/\(owner)", ["role": "viewer"], as: caller).status == 403)
    #expect(try await api.post("/v1/members/\(owner)/suspend", as: caller).status == 403)
    #expect(try await api.delete("/v1/members/\(owner)", as: caller).status == 403)
    #expect(try await api.post("/v1/invites", ["role": "viewer"], as: caller).status == 403)
    #expect(try await api.get("/v1/invites", as: caller).status == 403)
    #expect(try await api.get("/v1/audit", as: caller).status == 403)
    #expect(try await api.patch("/v1/company", ["name": "Mine"], as: caller).status == 403)
    #expect(try await api.post("/v1/roles", ["role": "x", "from": "user"], as: caller).status == 403)
  }

  @Test func `a phone gets the names of the members, and no body while they stay the same`() async throws {
    let api = try await Self.open()
    let path = "/v1/members?fields=name,id"
    let first = try await api.get(path, as: api.member("user"))
    #expect(first.items.count == 4)
    #expect(first.items.allSatisfy { $0.keys == ["id", "name"] })
    let tag = try #require(first.headers["etag"])
    let again = try await api.get(path, as: api.member("user"), headers: [("if-none-match", tag)])
    #expect(again.status == 304 && again.bytes.isEmpty)
    // Another page has another tag.
    let page = try await api.get("\(path)&limit=2", as: api.member("user"), headers: [("if-none-match", tag)])
    #expect(page.status == 200 && page.items.count == 2)
    #expect(page.headers["link"] != nil)
    let user = try Self.id(api, "user")
    _ = try await api.post("/v1/members/\(user)/suspend", as: api.member("admin"))
    _ = try await api.delete("/v1/members/\(user)", as: api.member("admin"))
    let changed = try await api.get(path, as: api.member("admin"), headers: [("if-none-match", tag)])
    #expect(changed.status == 200 && changed.items.count == 3)
    for fields in ["names", "id,,name", "", "id,password"] {
      #expect(
        try await api.get("/v1/members?fields=\(fields)", as: api.member("admin")).code == .unknownFields,
        "\(fields)"
      )
    }
  }

  @Test func `another company's member is as unknown as a random id`() async throws {
    let api = try await Self.open()
    let other = try await Workshop.open()
    let foreign = try #require(other.members["user"]).userID.text
    let admin = try api.member("admin")
    for path in ["/v1/members/\(foreign)", "/v1/members/\(UUID().text)", "/v1/members/x"] {
      #expect(try await api.get(path, as: admin).code == .notFound)
    }
    func problems(_ id: String) async throws -> [JSONObject] {
      [
        try await api.get("/v1/members/\(id)", as: admin).problem,
        try await api.patch("/v1/members/\(id)", ["role": "viewer"], as: admin).problem,
        try await api.post("/v1/members/\(id)/suspend", as: admin).problem,
        try await api.delete("/v1/members/\(id)", as: admin).problem,
      ]
    }
    #expect(try await problems(foreign) == problems(UUID().text))
  }

  @Test func `a token without the scope is refused, and with it acts`() async throws {
    let api = try await Self.open()
    let narrow = try await api.token("owner", scopes: ["maintenance.entry.read"])
    for path in ["/v1/members", "/v1/invites", "/v1/roles", "/v1/company", "/v1/audit", "/v1/me/inbox"] {
      #expect(try await api.get(path, as: narrow).status == 403, "\(path)")
    }
    let wide = try await api.token("owner", scopes: ["member.read"])
    #expect(try await api.get("/v1/members", as: wide).status == 200)
    #expect(try await api.delete("/v1/members/\(Self.id(api, "user"))", as: wide).status == 403)
  }

  @Test func `a code is shown once, and a revoked invite is not active`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    let made = try await api.post("/v1/invites", ["role": "viewer", "uses": 3], as: admin)
    #expect(made.status == 201)
    let code = try #require(made.json["code"]?.string)
    let id = try #require(made.json["id"]?.string)
    let list = try await api.get("/v1/invites", as: admin)
    #expect(!list.text.contains(code))
    #expect(list.items.first?["uses"] == 3)
    #expect(try await api.delete("/v1/invites/\(id)", as: admin).status == 204)
    #expect(try await api.get("/v1/invites", as: admin).items.first?["state"] == "revoked")
    #expect(try await api.delete("/v1/invites/\(id)", as: admin).code == .wrongState)
    #expect(try await api.delete("/v1/invites/\(UUID().text)", as: admin).code == .notFound)
    #expect(try await api.post("/v1/invites", ["role": "owner"], as: admin).code == .grantExceedsOwn)
  }

  @Test func `a role is created, changed and deleted, and never twice`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    let body: JSONObject = ["role": "clerk", "permissions": ["member.read"]]
    #expect(try await api.post("/v1/roles", body, as: admin).json["permissions"] == ["member.read"])
    #expect(try await api.post("/v1/roles", body, as: admin).code == .alreadyExists)
    let changed = try await api.patch("/v1/roles/clerk", ["permissions": ["role.read"]], as: admin)
    #expect(changed.json["permissions"] == ["role.read"])
    #expect(try await api.patch("/v1/roles/nobody", ["permissions": []], as: admin).code == .unknownRole)
    #expect(try await api.patch("/v1/roles/clerk", [:], as: admin).code == .missingFields)
    #expect(try await api.delete("/v1/roles/clerk", as: admin).status == 204)
    #expect(try await api.get("/v1/roles/clerk", as: admin).code == .unknownRole)
    #expect(try await api.get("/v1/roles/permissions", as: admin).items.count > 30)
  }

  @Test func `the audit is read in pages, newest first, each entry once`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    for _ in 0..<5 { #expect(try await api.post("/v1/invites", ["role": "viewer"], as: admin).status == 201) }
    let whole = try await api.get("/v1/audit?limit=200", as: admin).items.compactMap { $0["id"]?.string }
    var paged: [String] = []
    var path: String? = "/v1/audit?limit=2"
    while let next = path {
      let page = try await api.get(next, as: admin)
      #expect(page.items.count <= 2)
      paged += page.items.compactMap { $0["id"]?.string }
      path = page.json["next"]?.string.map { "/v1/audit?limit=2&after=\($0)" }
    }
    #expect(paged == whole && Set(paged).count == paged.count)
    let invites = try await api.get("/v1/audit?action=invite.created", as: admin).items
    #expect(invites.count == 5)
    #expect(try await api.get("/v1/audit?after=x", as: admin).code == .invalidInput)
  }

  @Test func `the company's settings change, and an unknown zone does not`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    #expect(try await api.patch("/v1/company", ["timezone": "Asia/Kolkata"], as: admin).status == 204)
    #expect(try await api.get("/v1/company", as: admin).json["timezone"] == "Asia/Kolkata")
    #expect(try await api.patch("/v1/company", ["timezone": "Mars"], as: admin).code == .invalidTimeZone)
    #expect(try await api.patch("/v1/company", ["slug": "x"], as: admin).code == .unknownFields)
    #expect(try await api.patch("/v1/company", [:], as: admin).code == .missingFields)
  }

  @Test func `everybody reads about the installation, its apps and types`() async throws {
    let api = try await Self.open()
    let answer = try await api.get("/v1/about")
    #expect(answer.status == 200)
    #expect(answer.json["version"] == "1.2.3")
    #expect(answer.json["demo"] == false)
    #expect(answer.json["sign_in"] == ["password"])
    #expect(answer.text.contains("/v1/maintenance/entry"))
  }

  @Test func `a caller in a demo company is told so`() async throws {
    let api = try await Self.open()
    let slug = "demo-\(UUID().uuidString.prefix(8).lowercased())"
    let created = try await Companies(api.shop.engine.operators).create(
      slug: slug,
      name: "Demo",
      kind: .demo,
      timeZone: "UTC",
      owner: (email: "owner@\(slug).example", name: "Owner"),
      actor: .operator("tests")
    )
    let owner = try #require(created.owner).userID
    let acting = ActingContext(company: created.company, actor: .member(owner), user: owner)
    let caller = TestCaller(kind: .browser, acting: acting, user: owner, session: UUID())
    #expect(try await api.get("/v1/about", as: caller).json["demo"] == true)
  }
}
