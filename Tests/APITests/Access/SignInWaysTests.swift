import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import SignInFixtures
import Store
import Testing

/// Every way of signing in without an identity provider, from its first request to an answer of the API.
/// `ProviderWaysTests` has the others.
@Suite(.timeLimit(.minutes(60))) struct SignInWaysTests {
  private func signIn(
    _ harness: SignInHarness,
    _ more: JSONObject = [:],
    kind: String = "mobile"
  ) async throws -> TestAnswer {
    var body: JSONObject = [
      "email": .string(harness.email("ana")), "password": .string(SignInHarness.password),
      "kind": .string(kind),
    ]
    for (member, value) in more.members { body[member] = value }
    return try await harness.api.post("/v1/auth/sign-in", body)
  }

  @Test(arguments: ["mobile", "browser"])
  func `with a password`(_ kind: String) async throws {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    let answer = try await signIn(harness, kind: kind)
    try await harness.requireSignedIn(answer, as: "ana", kind)
  }

  @Test(arguments: ["mobile", "browser"])
  func `with a password and a code of the authenticator app`(_ kind: String) async throws {
    let harness = try await SignInHarness.open()
    let app = try await harness.enrol(try await harness.register()).app
    let first = try await signIn(harness, kind: kind)
    #expect(first.status == 202 && first.json["step"]?.string == "second_factor")
    #expect(first.json["access_token"] == nil && first.headers["set-cookie"] == nil)
    let answer = try await harness.complete(first, code: app.code(.second), ["kind": .string(kind)])
    try await harness.requireSignedIn(answer, as: "ana", kind)
  }

  @Test func `with a password and a recovery code`() async throws {
    let harness = try await SignInHarness.open()
    let codes = try await harness.enrol(try await harness.register()).codes
    let answer = try await harness.complete(signIn(harness), code: codes[3])
    try await harness.requireSignedIn(answer, as: "ana", "mobile")
    #expect(try await harness.complete(signIn(harness), code: codes[3]).code == .signInRefused)
  }

  @Test func `with a second factor into the company of an invite code from the first step`() async throws {
    let harness = try await SignInHarness.open()
    let app = try await harness.enrol(try await harness.register()).app
    let first = try await signIn(harness, ["code": .string(try await harness.invite())])
    #expect(first.status == 202)
    let answer = try await harness.complete(first, code: app.code(.second))
    try await harness.requireSignedIn(answer, as: "ana", "mobile")
    #expect(answer.json["company"]?.object?["slug"]?.string == harness.api.shop.company.slug)
  }

  @Test func `with a second factor and an invite code in the second step`() async throws {
    let harness = try await SignInHarness.open()
    let app = try await harness.enrol(try await harness.register()).app
    let code = try await harness.invite()
    let answer = try await harness.complete(
      signIn(harness),
      code: app.code(.second),
      ["invite_code": .string(code), "company": .string(harness.api.shop.company.slug)]
    )
    try await harness.requireSignedIn(answer, as: "ana", "mobile")
    #expect(answer.json["company"]?.object?["slug"]?.string == harness.api.shop.company.slug)
  }

  @Test func `with a second factor, with the records of the visitor that the first step named`() async throws
  {
    let harness = try await SignInHarness.open()
    let app = try await harness.enrol(try await harness.register()).app
    let visitor = try await harness.api.post("/v1/auth/visitor", ["kind": "mobile"])
    let token = try #require(visitor.json["access_token"])
    let answer = try await harness.complete(
      signIn(harness, ["visitor": token]),
      code: app.code(.second)
    )
    try await harness.requireSignedIn(answer, as: "ana", "mobile")
    #expect(answer.json["company"] == visitor.json["company"])
    #expect(try await harness.api.get("/v1/me", headers: visitor.bearer).status == 401)
  }

  @Test func `with a password and an invite code`() async throws {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    let answer = try await signIn(harness, ["code": .string(try await harness.invite())])
    try await harness.requireSignedIn(answer, as: "ana", "mobile")
    #expect(answer.json["company"]?.object?["slug"]?.string == harness.api.shop.company.slug)
  }

  @Test func `with a password and the token of a visitor`() async throws {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    let visitor = try await harness.api.post("/v1/auth/visitor", ["kind": "mobile"])
    let answer = try await signIn(harness, ["visitor": try #require(visitor.json["access_token"])])
    try await harness.requireSignedIn(answer, as: "ana", "mobile")
    #expect(answer.json["company"] == visitor.json["company"])
    #expect(answer.json["visitor_claimed"] == true)
    // The same token again, as after a lost answer, and one of nobody: signed in, and the answer says that nothing moved.
    for token: JSONValue in [try #require(visitor.json["access_token"]), "ftx_of_nobody"] {
      let again = try await signIn(harness, ["visitor": token])
      #expect(again.status == 200 && again.json["visitor_claimed"] == nil, "\(again.text)")
    }
  }

  @Test(arguments: ["mobile", "browser"])
  func `by sign-up with a company, with an invite code, and alone`(_ kind: String) async throws {
    let harness = try await SignInHarness.open()
    try await harness.requireSignedIn(try await harness.register(kind: kind), as: "ana", kind)
    let code = try await harness.invite()
    try await harness.requireSignedIn(
      try await harness.register("bea", kind: kind, code: code),
      as: "bea",
      kind
    )
    let alone = try await harness.api.post(
      "/v1/auth/sign-up",
      [
        "email": .string(harness.email("cia")), "name": "Cia", "password": .string(SignInHarness.password),
        "kind": .string(kind),
      ]
    )
    #expect(alone.status == 201)
    try await harness.requireSignedIn(alone, as: "cia", kind)
  }

  @Test func `by sign-up as the visitor that one was`() async throws {
    let harness = try await SignInHarness.open()
    let visitor = try await harness.api.post("/v1/auth/visitor", ["kind": "mobile"])
    #expect(try await harness.api.get("/v1/me", headers: visitor.bearer).json["credential"] == "visitor")
    let answer = try await harness.api.post(
      "/v1/auth/sign-up",
      [
        "email": .string(harness.email("ana")), "name": "Ana", "password": .string(SignInHarness.password),
        "visitor": try #require(visitor.json["access_token"]),
      ]
    )
    #expect(answer.status == 201, "\(answer.text)")
    try await harness.requireSignedIn(answer, as: "ana", "mobile")
    #expect(answer.json["company"] == visitor.json["company"])
  }

  @Test func `by a refresh, an API token and a proxy that names the user`() async throws {
    let header = TrustedHeader(user: "x-remote-user") { $0 == "192.0.2.1" }
    let harness = try await SignInHarness.open(proxy: header)
    let ana = try await harness.register()
    let fresh = try await harness.api.post(
      "/v1/auth/refresh",
      ["refresh_token": try #require(ana.json["refresh_token"])]
    )
    #expect(fresh.status == 200)
    try await harness.requireSignedIn(fresh, as: "ana", "mobile")
    let made = try await harness.api.post(
      "/v1/me/tokens",
      ["name": "robot", "scopes": ["member.read"], "days": 1],
      headers: fresh.bearer
    )
    let bearer = [(name: "authorization", value: "Bearer \(made.json["token"]?.string ?? "")")]
    #expect(try await harness.api.get("/v1/me", headers: bearer).json["credential"] == "token")
    // However the proxy writes the address. The proof ends what was there before it.
    for text in [harness.email("ana"), " \(harness.email("ANA").uppercased())\t"] {
      let me = try await harness.api.get("/v1/me", headers: [(name: "x-remote-user", value: text)])
      #expect(
        me.status == 200 && me.json["credential"] == "proxy"
          && me.json["email"]?.string == harness.email("ana")
      )
    }
  }

  @Test(arguments: ["x-remote-user", "x-company", "authorization"])
  func `a repeated header field that decides who the caller is, is refused`(_ name: String) async throws {
    let header = TrustedHeader(user: "x-remote-user", company: "x-company") { $0 == "192.0.2.1" }
    let harness = try await SignInHarness.open(proxy: header)
    let ana = try await harness.register()
    _ = try await harness.register("bea")
    let slug = try #require(ana.json["company"]?.object?["slug"]?.string)
    let right = [
      (name: "x-remote-user", value: harness.email("ana")), (name: "x-company", value: slug),
    ]
    #expect(try await harness.api.get("/v1/me", headers: right).status == 200)
    for other in [harness.email("bea"), harness.email("ana"), ""] {
      let bearer = name == "authorization" ? ana.bearer : []
      let answer = try await harness.api.get("/v1/me", headers: right + bearer + [(name: name, value: other)])
      #expect(answer.status == 400 && answer.code == .malformedRequest, "\(name) \(other)")
      let first = try await harness.api.get("/v1/me", headers: [(name: name, value: other)] + right + bearer)
      #expect(first.status == 400, "\(name) \(other)")
    }
  }
}

extension SignInHarness {
  /// Requires that an answer holds a session of a person, with which the API answers.
  func requireSignedIn(
    _ answer: TestAnswer,
    as name: String,
    _ kind: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try #require([200, 201, 303].contains(answer.status), "\(answer.text)", sourceLocation: sourceLocation)
    let me = try await api.get("/v1/me", headers: kind == "browser" ? answer.cookie : answer.bearer)
    #expect(me.status == 200, "\(me.text)", sourceLocation: sourceLocation)
    #expect(me.json["email"]?.string == email(name), sourceLocation: sourceLocation)
    #expect(me.json["credential"]?.string == kind, sourceLocation: sourceLocation)
  }

  /// Sets the second factor of a person up, who has just signed in.
  func enrol(_ answer: TestAnswer) async throws -> (app: Authenticator, codes: [String]) {
    let begun = try await api.post("/v1/me/totp", headers: answer.bearer)
    let app = Authenticator(base32: try #require(begun.json["secret"]?.string, "\(begun.text)"))
    let confirmed = try await api.post(
      "/v1/me/totp/confirm",
      ["code": .string(app.code(.first))],
      headers: answer.bearer
    )
    let codes = confirmed.json["recovery_codes"]?.array?.compactMap(\.string) ?? []
    try #require(codes.count == 10, "\(confirmed.text)")
    return (app, codes)
  }

  /// Completes a sign-in that requires a second factor.
  func complete(_ first: TestAnswer, code: String, _ more: JSONObject = [:]) async throws -> TestAnswer {
    var body: JSONObject = ["step_token": try #require(first.json["step_token"]), "code": .string(code)]
    for (member, value) in more.members { body[member] = value }
    return try await api.post("/v1/auth/second-factor", body)
  }

  /// Returns an invite code of the workshop.
  func invite() async throws -> String {
    try await Invites(api.shop.engine.operators).create(api.shop.operatorContext, role: "user").code
  }
}
