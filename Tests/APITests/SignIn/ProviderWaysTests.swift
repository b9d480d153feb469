import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import SignIn
import SignInFixtures
import Store
import Testing

/// Every way of signing in with an identity provider, from its first request to an answer of the API.
/// `ProviderShapeTests` has the shapes of providers.
@Suite(.timeLimit(.minutes(60))) struct ProviderWaysTests {
  private static let shape = ProviderShape("google") { shape in
    shape.claims = ["email": "{email}", "email_verified": true, "name": "Ana Berg"]
  }

  /// Returns a fixture with a person who has signed in and set a second factor up.
  private func enrolled() async throws -> (ProviderFixture, Authenticator, [String]) {
    let fixture = try await ProviderFixture.open(Self.shape)
    let (app, codes) = try await fixture.harness.enrol(try await fixture.present(fixture.person()))
    return (fixture, app, codes)
  }

  @Test(arguments: ["mobile", "browser"])
  func `with an ID token and a nonce`(_ kind: String) async throws {
    let fixture = try await ProviderFixture.open(Self.shape)
    let answer = try await fixture.present(fixture.person(), ["kind": .string(kind)])
    try await fixture.harness.requireSignedIn(answer, as: "ana", kind)
  }

  @Test func `with an ID token as the clients of the first apps send it`() async throws {
    let fixture = try await ProviderFixture.open(Self.shape)
    let nonce = try await fixture.api.post("/v1/auth/nonce").json["nonce"]?.string ?? ""
    let token = try fixture.issuer.tokens(for: fixture.person(), nonce: nonce).id
    let answer = try await fixture.api.post("/auth/google", ["idToken": .string(token)])
    #expect(answer.status == 200, "\(answer.text)")
    let bearer = [(name: "authorization", value: "Bearer \(answer.json["sessionToken"]?.string ?? "")")]
    #expect(
      try await fixture.api.get("/v1/me", headers: bearer).json["email"]?.string
        == fixture.harness.email("ana")
    )
  }

  @Test func `with a browser and a code of the authenticator app`() async throws {
    let (fixture, app, _) = try await enrolled()
    let back = try await fixture.browse(fixture.person())
    #expect(back.status == 303 && back.headers["location"] == "/app?second_factor=required")
    // The page has no token: the browser's cookie holds it.
    let answer = try await fixture.api.post(
      "/v1/auth/second-factor",
      ["code": .string(app.code(.second)), "kind": "browser"],
      headers: back.cookie
    )
    try await fixture.harness.requireSignedIn(answer, as: "ana", "browser")
  }

  @Test func `with an ID token and a second factor or a recovery code`() async throws {
    let (fixture, app, codes) = try await enrolled()
    for code in [app.code(.second), codes[0]] {
      let first = try await fixture.present(fixture.person())
      #expect(first.status == 202)
      let answer = try await fixture.harness.complete(first, code: code)
      try await fixture.harness.requireSignedIn(answer, as: "ana", "mobile")
    }
  }

  @Test func `with an ID token, an invite code and a second factor`() async throws {
    let (fixture, app, _) = try await enrolled()
    let first = try await fixture.present(
      fixture.person(),
      ["code": .string(try await fixture.harness.invite())]
    )
    let answer = try await fixture.harness.complete(first, code: app.code(.second))
    try await fixture.harness.requireSignedIn(answer, as: "ana", "mobile")
    #expect(answer.json["company"]?.object?["slug"]?.string == fixture.api.shop.company.slug)
  }

  @Test func `as a stranger with an invite code, or as the visitor that one was`() async throws {
    let fixture = try await ProviderFixture.open(Self.shape)
    let joined = try await fixture.present(
      fixture.person(),
      ["code": .string(try await fixture.harness.invite())]
    )
    try await fixture.harness.requireSignedIn(joined, as: "ana", "mobile")
    #expect(joined.json["company"]?.object?["slug"]?.string == fixture.api.shop.company.slug)
    let visitor = try await fixture.api.post("/v1/auth/visitor", ["kind": "mobile"])
    let claimed = try await fixture.present(
      fixture.person("bea"),
      ["visitor": try #require(visitor.json["access_token"])]
    )
    try await fixture.harness.requireSignedIn(claimed, as: "bea", "mobile")
    #expect(claimed.json["company"] == visitor.json["company"])
    #expect(claimed.json["visitor_claimed"] == true)
  }

  @Test func `as the visitor of a browser`() async throws {
    let fixture = try await ProviderFixture.open(Self.shape)
    let visitor = try await fixture.api.post("/v1/auth/visitor", ["kind": "browser"])
    let answer = try await fixture.browse(fixture.person(), cookies: visitor.cookie)
    try await fixture.harness.requireSignedIn(answer, as: "ana", "browser")
    let me = try await fixture.api.get("/v1/me", headers: answer.cookie)
    #expect(me.json["company"]?.object?["slug"] == visitor.json["company"]?.object?["slug"])
  }

  @Test func `with an identity that was linked by a token, and by a browser`() async throws {
    let fixture = try await ProviderFixture.open(Self.shape)
    let ana = try await fixture.harness.register()
    let nonce = try await fixture.api.post("/v1/auth/nonce").json["nonce"]?.string ?? ""
    let other = ShapedIssuer.Person(subject: "linked-\(fixture.harness.word)", email: "ana@elsewhere.example")
    let token = try fixture.issuer.tokens(for: other, nonce: nonce).id
    let linked = try await fixture.api.post(
      "/v1/me/identities",
      ["provider": "google", "id_token": .string(token)],
      headers: ana.bearer
    )
    #expect(linked.status == 201 && linked.json["provider"]?.string == "google", "\(linked.text)")
    try await fixture.harness.requireSignedIn(try await fixture.present(other), as: "ana", "mobile")

    let bea = try await fixture.harness.register("bea", kind: "browser")
    let site = [(name: "sec-fetch-site", value: "same-origin")]
    let start = try await fixture.api.post(
      "/v1/me/identities/start",
      ["provider": "google", "redirect": "/me"],
      headers: bea.cookie + site
    )
    #expect(start.status == 200, "\(start.text)")
    let second = ShapedIssuer.Person(
      subject: "second-\(fixture.harness.word)",
      email: "bea@elsewhere.example"
    )
    let answer = try fixture.issuer.authorize(start.json["url"]?.string ?? "", as: second)
    let back = try await fixture.returned(answer, bea.cookie + start.cookie)
    #expect(back.headers["location"] == "/me?linked=true")
    try await fixture.harness.requireSignedIn(try await fixture.browse(second), as: "bea", "browser")
  }
}
