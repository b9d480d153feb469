import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// The caller's own notices over the API, and what tokens may do with them.
@Suite(.timeLimit(.minutes(60))) struct InboxRouteTests {
  private static func open() async throws -> APIFixture {
    try await APIFixture.open { services in InboxRoutes(services).routes + PreferenceRoutes(services).routes }
  }

  /// Adds unread notices of a member.
  private static func add(_ count: Int, to name: String, _ api: APIFixture) async throws {
    let user = try #require(api.shop.members[name]).userID
    try await api.shop.engine.superuser.execute(
      """
      insert into core.notification (company_id, id, user_id, template, state)
      select \(api.shop.company.id), gen_random_uuid(), \(user), 'comment', 'sent' from generate_series(1, \(count))
      """
    )
  }

  @Test func `members list, count and read their own notices only`() async throws {
    let api = try await Self.open()
    try await Self.add(3, to: "user", api)
    try await Self.add(1, to: "viewer", api)
    let user = try api.member("user")
    let first = try await api.get("/v1/me/inbox?limit=2", as: user)
    let next = try #require(first.json["next"]?.string)
    #expect(first.items.first?["title"] == " on ")
    #expect(try await api.get("/v1/me/inbox?lang=sv", as: user).items.first?["title"] == " om ")
    #expect(try await api.get("/v1/me/inbox?lang=de", as: user).status == 422)
    let second = try await api.get("/v1/me/inbox?limit=2&after=\(next)", as: user)
    #expect(first.items.count == 2 && second.items.count == 1 && second.json["next"] == nil)
    let foreign = try await api.get("/v1/me/inbox", as: api.member("viewer")).items
    let id = try #require(foreign.first?["id"])
    #expect(try await api.post("/v1/me/inbox/read", ["ids": [id]], as: user).json["marked"] == 0)
    let own = try #require(first.items.first?["id"])
    #expect(try await api.post("/v1/me/inbox/read", ["ids": [own]], as: user).json["marked"] == 1)
    #expect(try await api.get("/v1/me/inbox/count", as: user).json == ["all": 3, "unread": 2])
    #expect(try await api.post("/v1/me/inbox/read", as: user).json["marked"] == 2)
    #expect(try await api.get("/v1/me/inbox?unread=true", as: user).items.isEmpty)
    #expect(try await api.get("/v1/me/inbox/count", as: api.member("viewer")).json["unread"] == 1)
  }

  private static func choose(
    _ delivery: JSONValue,
    of kind: String = "*",
    as caller: TestCaller,
    _ api: APIFixture
  )
    async throws -> TestAnswer
  {
    try await api.patch("/v1/me/preferences", ["notices": [kind: delivery]], as: caller)
  }

  @Test func `a token reads and changes an inbox with the scopes for it only`() async throws {
    let api = try await Self.open()
    try await Self.add(1, to: "owner", api)
    let narrow = try await api.token("owner", scopes: ["company.update", "member.read"])
    let reader = try await api.token("owner", scopes: ["inbox.read"])
    let writer = try await api.token("owner", scopes: ["inbox.update"])
    for path in ["/v1/me/inbox", "/v1/me/inbox/count", "/v1/me/preferences"] {
      #expect(try await api.get(path, as: narrow).code == .forbidden, "\(path)")
      #expect(try await api.get(path, as: reader).status == 200, "\(path)")
    }
    for caller in [narrow, reader] {
      #expect(try await api.post("/v1/me/inbox/read", as: caller).code == .forbidden)
      #expect(try await Self.choose("off", as: caller, api).code == .forbidden)
    }
    #expect(try await Self.choose("off", as: writer, api).status == 204)
    #expect(try await api.post("/v1/me/inbox/read", as: writer).json["marked"] == 1)
  }

  @Test func `a preference of an unknown kind or delivery is refused`() async throws {
    let api = try await Self.open()
    let user = try api.member("user")
    #expect(try await Self.choose("off", of: "nothing", as: user, api).code == .notFound)
    #expect(try await Self.choose("loud", as: user, api).code == .invalidInput)
    #expect(try await Self.choose(1, as: user, api).code == .invalidInput)
  }
}
