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
@Suite(.timeLimit(.minutes(30))) struct ProviderWaysTests {
  private static let shape = ProviderShape("google") { shape in
    shape.claims = ["email": "{email}", "email_verified": true, "name": "Ana Berg"]
  }

  /// Returns a desk with a person who has signed in and set a second factor up.
  private func enrolled() async throws -> (ProviderDesk, Authenticator, [String]) {
    let desk = try await ProviderDesk.open(Self.shape)
    let (app, codes) = try await desk.harness.enrol(try await desk.present(desk.person()))
    return (desk, app, codes)
  }

  @Test(arguments: ["mobile", "browser"])
  func `with an ID token and a nonce`(_ kind: String) async throws {
    let desk = try await ProviderDesk.open(Self.shape)
    let answer = try await desk.present(desk.person(), ["kind": .string(kind)])
    try await desk.harness.requireSignedIn(answer, as: "ana", kind)
  }

  @Test func `with an ID token as the clients of the first apps send it`() async throws {
    let desk = try await ProviderDesk.open(Self.shape)
    let nonce = try await desk.api.post("/v1/auth/nonce").json["nonce"]?.string ?? ""
    let token = try desk.issuer.tokens(for: desk.person(), nonce: nonce).id
    let answer = try await desk.api.post("/auth/google", ["idToken": .string(token)])
    #expect(answer.status == 200, "\(answer.text)")
    let bearer = [(name: "authorization", value: "Bearer \(answer.json["sessionToken"]?.string ?? "")")]
    #expect(
      try await desk.api.get("/v1/me", headers: bearer).json["email"]?.string == desk.harness.email("ana")
    )
  }

  @Test func `with a browser and a code of the authenticator app`() async throws {
    let (desk, app, _) = try await enrolled()
    let back = try await desk.browse(desk.person())
    #expect(back.status == 303 && back.headers["location"] == "/app?second_factor=required")
    // The page has no token: the browser's cookie holds it.
    let answer = try await desk.api.post(
      "/v1/auth/second-factor",
      ["code": .string(app.code(.second)), "kind": "browser"],
      headers: back.cookie
    )
    try await desk.harness.requireSignedIn(answer, as: "ana", "browser")
  }

  @Test func `with an ID token and a second factor or a recovery code`() async throws {
    let (desk, app, codes) = try await enrolled()
    for code in [app.code(.second), codes[0]] {
      let first = try await desk.present(desk.person())
      #expect(first.status == 202)
      let answer = try await desk.harness.complete(first, code: code)
      try await desk.harness.requireSignedIn(answer, as: "ana", "mobile")
    }
  }

  @Test func `with an ID token, an invite code and a second factor`() async throws {
    let (desk, app, _) = try await enrolled()
    let first = try await desk.present(desk.person(), ["code": .string(try await desk.harness.invite())])
    let answer = try await desk.harness.complete(first, code: app.code(.second))
    try await desk.harness.requireSignedIn(answer, as: "ana", "mobile")
    #expect(answer.json["company"]?.object?["slug"]?.string == desk.api.shop.company.slug)
  }

  @Test func `as a stranger with an invite code, or as the visitor that one was`() async throws {
    let desk = try await ProviderDesk.open(Self.shape)
    let joined = try await desk.present(desk.person(), ["code": .string(try await desk.harness.invite())])
    try await desk.harness.requireSignedIn(joined, as: "ana", "mobile")
    #expect(joined.json["company"]?.object?["slug"]?.string == desk.api.shop.company.slug)
    let visitor = try await desk.api.post("/v1/auth/visitor", ["kind": "mobile"])
    let claimed = try await desk.present(
      desk.person("bea"),
      ["visitor": try #require(visitor.json["access_token"])]
    )
    try await desk.harness.requireSignedIn(claimed, as: "bea", "mobile")
    #expect(claimed.json["company"] == visitor.json["company"])
  }

  @Test func `as the visitor of a browser`() async throws {
    let desk = try await ProviderDesk.open(Self.shape)
    let visitor = try await desk.api.post("/v1/auth/visitor", ["kind": "browser"])
    let answer = try await desk.browse(desk.person(), cookies: visitor.cookie)
    try await desk.harness.requireSignedIn(answer, as: "ana", "browser")
    let me = try await desk.api.get("/v1/me", headers: answer.cookie)
    #expect(me.json["company"]?.object?["slug"] == visitor.json["company"]?.object?["slug"])
  }

  @Test func `with an identity that was linked by a token, and by a browser`() async throws {
    let desk = try await ProviderDesk.open(Self.shape)
    let ana = try await desk.harness.register()
    let nonce = try await desk.api.post("/v1/auth/nonce").json["nonce"]?.string ?? ""
    let other = ShapedIssuer.Person(subject: "linked-\(desk.harness.word)", email: "ana@elsewhere.example")
    let token = try desk.issuer.tokens(for: other, nonce: nonce).id
    let linked = try await desk.api.post(
      "/v1/me/identities",
      ["provider": "google", "id_token": .string(token)],
      headers: ana.bearer
    )
    #expect(linked.status == 201 && linked.json["provider"]?.string == "google", "\(linked.text)")
    try await desk.harness.requireSignedIn(try await desk.present(other), as: "ana", "mobile")

    let bea = try await desk.harness.register("bea", kind: "browser")
    let site = [(name: "sec-fetch-site", value: "same-origin")]
    let start = try await desk.api.post(
      "/v1/me/identities/start",
      ["provider": "google", "redirect": "/me"],
      headers: bea.cookie + site
    )
    #expect(start.status == 200, "\(start.text)")
    let second = ShapedIssuer.Person(subject: "second-\(desk.harness.word)", email: "bea@elsewhere.example")
    let answer = try desk.issuer.authorize(start.json["url"]?.string ?? "", as: second)
    let back = try await desk.returned(answer, bea.cookie + start.cookie)
    #expect(back.headers["location"] == "/me?linked=true")
    try await desk.harness.requireSignedIn(try await desk.browse(second), as: "bea", "browser")
  }
}
