import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct SessionGateTests {
  @Test func `a cookie is for this host, unreadable to scripts, and holds the only secret`() async throws {
    let harness = try await SignInHarness.open()
    let answer = try await harness.register(kind: "browser")
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(cookie.hasPrefix("__Host-fettle=ftc_"))
    for attribute in ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"] {
      #expect(cookie.split(separator: "; ").contains(attribute[...]))
    }
    #expect(!cookie.contains("Domain"))
    #expect(answer.json["access_token"] == nil && !answer.text.contains("ftc_"))
  }

  @Test func `a mobile client gets tokens and no cookie`() async throws {
    let harness = try await SignInHarness.open()
    let answer = try await harness.register()
    #expect(answer.headers["set-cookie"] == nil)
    #expect(answer.json["access_token"]?.string?.hasPrefix("fta_") == true)
    #expect(answer.json["refresh_token"]?.string?.hasPrefix("ftr_") == true)
    #expect(try await harness.api.get("/v1/me", headers: answer.bearer).status == 200)
  }

  @Test(arguments: [
    "Bearer", "Bearer ", "Bearer x", "Basic YTpi", "Bearer fta_x", "Bearer ftl_x", "Bearer a b", "",
  ])
  func `a text that is no credential is 401, with the scheme to use`(_ value: String) async throws {
    let harness = try await SignInHarness.open()
    let answer = try await harness.api.get("/v1/me", headers: [("authorization", value)])
    #expect(answer.status == 401)
    #expect(answer.headers["www-authenticate"] == "Bearer")
  }

  @Test func `a cookie's secret is no bearer token, and an access token no cookie`() async throws {
    let harness = try await SignInHarness.open()
    let browser = try await harness.register(kind: "browser")
    let phone = try await harness.register("bea")
    let secret = String(browser.cookie[0].value.drop { $0 != "=" }.dropFirst())
    let asBearer = try await harness.api.get("/v1/me", headers: [("authorization", "Bearer \(secret)")])
    #expect(asBearer.status == 401)
    let token = phone.json["access_token"]?.string ?? ""
    let asCookie = try await harness.api.get("/v1/me", headers: [("cookie", "__Host-fettle=\(token)")])
    #expect(asCookie.status == 401)
  }

  @Test func `a revoked session is refused although its bearer is remembered`() async throws {
    let harness = try await SignInHarness.open()
    let ana = try await harness.register(kind: "browser")
    #expect(try await harness.api.get("/v1/me", headers: ana.cookie).status == 200)
    try await harness.api.shop.engine.superuser.execute(
      "update core.session set revoked_at = now(), revoked_why = 'revoked' where id = \(id(ana))"
    )
    let answer = try await harness.api.get("/v1/me", headers: ana.cookie)
    #expect(answer.status == 401 && answer.code == .sessionExpired)
  }

  @Test(arguments: ["idle_until", "expires_at", "access_until"])
  func `a session whose time has passed is refused`(_ column: String) async throws {
    let harness = try await SignInHarness.open()
    let ana = try await harness.register()
    for isRemembered in [false, true] {
      if isRemembered { _ = try await harness.api.get("/v1/me", headers: ana.bearer) }
      try await harness.api.shop.engine.superuser.execute(
        "update core.session set \(identifier: Postgres.Identifier(column)) = now() where id = \(id(ana))"
      )
      #expect(try await harness.api.get("/v1/me", headers: ana.bearer).code == .sessionExpired)
      try await harness.api.shop.engine.superuser.execute(
        """
        update core.session set \(identifier: Postgres.Identifier(column)) = now() + interval '1 hour'
        where id = \(id(ana))
        """
      )
    }
  }

  @Test func `an API token reaches within its scopes, is no person, and its use is recorded later`()
    async throws
  {
    let harness = try await SignInHarness.open()
    let ana = try await harness.register()
    let made = try await harness.api.post(
      "/v1/me/tokens",
      ["name": "robot", "scopes": ["member.read"], "days": 1],
      headers: ana.bearer
    )
    #expect(made.status == 201, "\(made.text)")
    let bearer = [(name: "authorization", value: "Bearer \(made.json["token"]?.string ?? "")")]
    let me = try await harness.api.get("/v1/me", headers: bearer)
    #expect(me.status == 200 && me.json["credential"]?.string == "token")
    #expect(me.json["permissions"] == ["member.read"])
    #expect(try await harness.api.get("/v1/me/sessions", headers: bearer).code == .forbidden)
    try await harness.uses.flush()
    let listed = try await harness.api.get("/v1/me/tokens", headers: ana.bearer)
    #expect(listed.items.first?["last_used_at"] != nil)
    let token = made.json["id"]?.string ?? ""
    #expect(try await harness.api.delete("/v1/me/tokens/\(token)", headers: ana.bearer).status == 204)
    #expect(try await harness.api.get("/v1/me", headers: bearer).status == 401)
  }

  @Test func `an unusable refresh token is 401, and a used one ends the session`() async throws {
    let harness = try await SignInHarness.open()
    let ana = try await harness.register()
    let refresh: JSONObject = ["refresh_token": ana.json["refresh_token"] ?? .null]
    let second = try await harness.api.post("/v1/auth/refresh", refresh)
    #expect(second.status == 200)
    #expect(try await harness.api.get("/v1/me", headers: ana.bearer).status == 401)
    #expect(try await harness.api.get("/v1/me", headers: second.bearer).status == 200)
    #expect(try await harness.api.post("/v1/auth/refresh", refresh).code == .sessionExpired)
    #expect(try await harness.api.get("/v1/me", headers: second.bearer).status == 401)
  }

  @Test func `a guest of the demo writes nothing, and may sign out`() async throws {
    let harness = try await SignInHarness.open()
    let operators = harness.api.shop.engine.operators
    let created = try await Companies(operators).create(
      slug: "demo-\(harness.word)",
      name: "Demo",
      kind: .demo,
      timeZone: "UTC",
      owner: (email: harness.email("owner"), name: "Owner"),
      actor: .operator("tests")
    )
    _ = try await Members(operators).add(
      ActingContext(company: created.company, actor: .operator("tests"), user: nil),
      email: harness.email("guest"),
      name: "Guest",
      role: "guest"
    )
    let guest = try await harness.api.post(
      "/v1/auth/guest",
      ["company": .string(created.company.slug), "kind": "mobile"]
    )
    #expect(guest.status == 201 && guest.json["refresh_token"] == nil)
    #expect(try await harness.api.get("/v1/me", headers: guest.bearer).json["role"]?.string == "guest")
    let write = try await harness.api.patch("/v1/me", ["name": "Mallory"], headers: guest.bearer)
    #expect(write.status == 403 && write.code == .signUpRequired)
    #expect(try await harness.api.post("/v1/auth/sign-out", headers: guest.bearer).status == 204)
    #expect(try await harness.api.get("/v1/me", headers: guest.bearer).status == 401)
  }

  @Test func `a person sees who they are, and where`() async throws {
    let harness = try await SignInHarness.open()
    let answer = try await harness.register()
    let me = try await harness.api.get("/v1/me", headers: answer.bearer).json
    #expect(me["email"] == .string(harness.email("ana")))
    #expect(me["role"] == "owner")
    #expect(me["id"]?.string.flatMap(UUID.init(uuidString:)) != nil)
  }

  @Test func `unknown and wrong are answered with the same body`() async throws {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    var problems: Set<String> = []
    for name in ["ana", "nobody"] {
      let answer = try await harness.api.post(
        "/v1/auth/sign-in",
        ["email": .string(harness.email(name)), "password": "a wrong long password"]
      )
      #expect(answer.status == 401)
      problems.insert(JSONValue.object(answer.problem).canonicalText)
    }
    #expect(problems.count == 1)
  }

  @Test func `the signed-in person lists and ends sessions`() async throws {
    let harness = try await SignInHarness.open()
    let ana = try await harness.register()
    let body: JSONObject = [
      "email": .string(harness.email("ana")), "password": .string(SignInHarness.password),
      "device_name": "Tablet",
    ]
    let tablet = try await harness.api.post("/v1/auth/sign-in", body)
    let listed = try await harness.api.get("/v1/me/sessions", headers: ana.bearer)
    #expect(listed.items.count == 2)
    #expect(listed.items.filter { $0["current"] == true }.count == 1)
    let other = try #require(listed.items.first { $0["device_name"]?.string == "Tablet" })
    let path = "/v1/me/sessions/\(other["id"]?.string ?? "")"
    #expect(try await harness.api.delete(path, headers: ana.bearer).status == 204)
    #expect(try await harness.api.delete(path, headers: ana.bearer).status == 404)
    #expect(try await harness.api.get("/v1/me", headers: tablet.bearer).status == 401)
  }

  @Test func `the header of a user counts from a trusted proxy only, and changes need a sign of this site`()
    async throws
  {
    let header = TrustedHeader(user: "x-remote-user", company: "x-company") { $0 == "192.0.2.1" }
    let harness = try await SignInHarness.open(proxy: header)
    _ = try await harness.register()
    let named = [(name: "x-remote-user", value: harness.email("ana"))]
    let me = try await harness.api.get("/v1/me", headers: named)
    #expect(me.status == 200 && me.json["credential"]?.string == "proxy")
    let elsewhere = try await harness.api.send(.get, "/v1/me", headers: named, address: "198.51.100.7")
    #expect(elsewhere.code == .unauthenticated)
    #expect(
      try await harness.api.patch("/v1/me", ["name": "X"], headers: named).code == .crossSiteRequest
    )
    let unknown = [(name: "x-remote-user", value: harness.email("nobody"))]
    #expect(try await harness.api.get("/v1/me", headers: unknown).code == .unauthenticated)
    let other = named + [(name: "x-company", value: "no-such-company")]
    #expect(try await harness.api.get("/v1/me", headers: other).code == .unauthenticated)
  }

  @Test func `a new sign-in ends the session whose cookie it replaces, and no other`() async throws {
    let harness = try await SignInHarness.open()
    let first = try await harness.register(kind: "browser")
    let other = try await harness.register("bea", kind: "browser")
    func signIn(_ name: String, _ kind: String, cookie: [(name: String, value: String)]) async throws
      -> TestAnswer
    {
      let body: JSONObject = [
        "email": .string(harness.email(name)), "password": .string(SignInHarness.password),
        "kind": .string(kind),
      ]
      return try await harness.api.post("/v1/auth/sign-in", body, headers: cookie)
    }
    // A phone keeps no cookie, and a cookie with a wrong secret proves nothing.
    #expect(try await signIn("ana", "mobile", cookie: first.cookie).status == 200)
    let forged = [(name: "cookie", value: String(first.cookie[0].value.dropLast(8)) + "AAAAAAAA")]
    #expect(try await signIn("ana", "browser", cookie: forged).status == 200)
    #expect(try await harness.api.get("/v1/me", headers: first.cookie).status == 200)
    let second = try await signIn("ana", "browser", cookie: first.cookie)
    #expect(try await harness.api.get("/v1/me", headers: first.cookie).code == .sessionExpired)
    // Another person signs in with the same browser.
    let third = try await signIn("bea", "browser", cookie: second.cookie)
    #expect(try await harness.api.get("/v1/me", headers: second.cookie).code == .sessionExpired)
    for open in [other, third] {
      #expect(try await harness.api.get("/v1/me", headers: open.cookie).status == 200)
    }
    let ended = try await harness.api.shop.engine.superuser.rows(
      """
      select a.subject_id from core.audit a
      where a.action = 'session.ended' and a.detail ->> 'reason' = 'replaced' order by a.at, a.id
      """,
      String.self
    )
    #expect(Set(ended).isSuperset(of: [try id(first).text, try id(second).text]))
  }

  @Test func `a browser visitor who signs up keeps the company`() async throws {
    let harness = try await SignInHarness.open()
    let visitor = try await harness.api.post("/v1/auth/visitor", ["kind": "browser"])
    #expect(visitor.status == 201)
    let body: JSONObject = [
      "email": .string(harness.email("ana")), "name": "Ana", "password": .string(SignInHarness.password),
      "kind": "browser",
    ]
    let ana = try await harness.api.post("/v1/auth/sign-up", body, headers: visitor.cookie)
    #expect(ana.status == 201, "\(ana.text)")
    #expect(ana.json["company"] == visitor.json["company"])
    #expect(try await harness.api.get("/v1/me", headers: visitor.cookie).status == 401)
    #expect(try await harness.api.get("/v1/me", headers: ana.cookie).json["role"]?.string == "owner")
  }

  private func id(_ answer: TestAnswer) throws -> UUID {
    try #require(answer.json["session"]?.string.flatMap(UUID.init(uuidString:)))
  }
}
