import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import SignInFixtures
import Testing

/// The refresh token of an app in a browser, which its scripts never see.
@Suite(.timeLimit(.minutes(60))) struct RefreshCookieTests {
  private static let ownPage = [(name: "sec-fetch-site", value: "same-origin")]

  /// Returns the value of a field `Set-Cookie` by the name of its cookie.
  private static func cookies(_ answer: TestAnswer) -> [(name: String, field: String)] {
    answer.headers.all("set-cookie").map { (name: String($0.prefix { $0 != "=" }), field: $0) }
  }

  private static func cookie(_ answer: TestAnswer) -> [(name: String, value: String)] {
    [
      (
        "cookie",
        answer.headers.all("set-cookie").map { String($0.prefix { $0 != ";" }) }.joined(separator: "; ")
      )
    ]
  }

  private static func signIn(_ harness: SignInHarness, _ name: String = "ana", _ more: JSONObject = [:])
    async throws -> TestAnswer
  {
    var body: JSONObject = [
      "email": .string(harness.email(name)), "password": .string(SignInHarness.password), "refresh": "cookie",
    ]
    for (key, value) in more.members { body[key] = value }
    return try await harness.api.post("/v1/auth/sign-in", body, headers: ownPage)
  }

  private static func refresh(
    _ harness: SignInHarness,
    _ account: String,
    _ cookie: [(name: String, value: String)],
    _ headers: [(name: String, value: String)] = ownPage
  ) async throws -> TestAnswer {
    try await harness.api.post("/v1/auth/refresh", ["account": .string(account)], headers: cookie + headers)
  }

  @Test func `the token is in a cookie of the account, and in no answer`() async throws {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    let signed = try await Self.signIn(harness)
    #expect(signed.status == 200)
    #expect(signed.json["refresh_token"] == nil)
    #expect(!signed.text.contains("ftr_"))
    let account = try #require(signed.json["account"]?.string)
    let cookie = try #require(Self.cookies(signed).first)
    #expect(cookie.name == "__Secure-fettle-refresh-\(account)")
    for part in ["Path=/v1/auth/refresh", "HttpOnly", "Secure", "SameSite=Strict", "Max-Age=5184000"] {
      #expect(cookie.field.split(separator: "; ").contains(part[...]), "\(cookie.field)")
    }
    #expect(try await harness.api.get("/v1/me", headers: signed.bearer).status == 200)

    let next = try await Self.refresh(harness, account, Self.cookie(signed))
    #expect(next.status == 200)
    #expect(next.json["account"]?.string == account)
    #expect(!next.text.contains("ftr_"))
    #expect(next.json["access_token"] != signed.json["access_token"])
    #expect(Self.cookies(next).map(\.name) == [cookie.name])
    #expect(try await harness.api.get("/v1/me", headers: next.bearer).status == 200)
  }

  @Test func `two refreshes at once give the same tokens, and one of a used token ends the session`()
    async throws
  {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    let signed = try await Self.signIn(harness)
    let account = try #require(signed.json["account"]?.string)
    let cookie = Self.cookie(signed)
    async let first = Self.refresh(harness, account, cookie)
    async let second = Self.refresh(harness, account, cookie)
    let (one, two) = (try await first, try await second)
    #expect(one.status == 200 && two.status == 200)
    #expect(one.json["access_token"] == two.json["access_token"])
    #expect(Self.cookie(one).map(\.value) == Self.cookie(two).map(\.value))
    #expect(try await harness.api.get("/v1/me", headers: one.bearer).status == 200)

    let copied = try await Self.refresh(harness, account, cookie)
    #expect(copied.code == .sessionExpired)
    #expect(Self.cookies(copied).first?.field.contains("Max-Age=0") == true)
    #expect(try await Self.refresh(harness, account, Self.cookie(one)).code == .sessionExpired)
  }

  @Test func `only a page of this server refreshes with the cookie`() async throws {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    let signed = try await Self.signIn(harness)
    let account = try #require(signed.json["account"]?.string)
    let matrix: [(headers: [(name: String, value: String)], isAccepted: Bool)] = [
      ([], false),
      ([("sec-fetch-site", "same-site")], false), ([("sec-fetch-site", "cross-site")], false),
      ([("sec-fetch-site", "none")], false), ([("origin", "null")], false),
      ([("origin", "https://evil.example")], false),
      ([("x-csrf-token", "anything")], false),
      ([("origin", APIFixture.origin)], true), ([("sec-fetch-site", "same-origin")], true),
    ]
    for (headers, isAccepted) in matrix {
      let answer = try await Self.refresh(harness, account, Self.cookie(signed), headers)
      #expect(answer.status == (isAccepted ? 200 : 403), "\(headers)")
      if !isAccepted {
        #expect(answer.code == .crossSiteRequest, "\(headers)")
        #expect(answer.headers["set-cookie"] == nil, "\(headers)")
      }
    }
  }

  @Test func `several people, and one person in several companies, use one browser`() async throws {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    _ = try await harness.register("bea")
    let (ana, bea) = (try await Self.signIn(harness), try await Self.signIn(harness, "bea"))
    let both = [(name: "cookie", value: "\(Self.cookie(ana)[0].value); \(Self.cookie(bea)[0].value)")]
    var now = ana
    for person in [ana, bea] {
      let account = try #require(person.json["account"]?.string)
      now = try await Self.refresh(harness, account, both)
      #expect(now.json["user"] == person.json["user"])
    }
    #expect(ana.json["account"] != bea.json["account"])
    // The same person in the same company has the same account on another day.
    #expect(try await Self.signIn(harness).json["account"] == ana.json["account"])

    let added = try await harness.api.post(
      "/v1/me/companies",
      ["name": .string("Second \(harness.word)")],
      headers: now.bearer
    )
    let moved = try await harness.api.post(
      "/v1/me/company",
      ["company": added.json["slug"] ?? .null, "refresh": "cookie"],
      headers: now.bearer
    )
    #expect(moved.status == 200, "\(moved.text)")
    #expect(moved.json["account"]?.string != bea.json["account"]?.string)
    #expect(!moved.text.contains("ftr_"))
  }

  @Test func `signing out removes the cookie of the account, and leaves that of the pages`() async throws {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    let signed = try await Self.signIn(harness)
    let account = try #require(signed.json["account"]?.string)
    let out = try await harness.api.post("/v1/auth/sign-out", headers: signed.bearer)
    #expect(out.status == 204)
    let removed = Self.cookies(out)
    #expect(removed.map(\.name) == ["__Secure-fettle-refresh-\(account)"])
    #expect(removed.first?.field.contains("Max-Age=0") == true)
    #expect(removed.first?.field.contains("Path=/v1/auth/refresh") == true)
    let answer = try await Self.refresh(harness, account, Self.cookie(signed))
    #expect(answer.code == .sessionExpired)
  }

  @Test func `what cannot be is refused, and a client without the choice gets the token as before`()
    async throws
  {
    let harness = try await SignInHarness.open()
    let plain = try await harness.register()
    #expect(plain.json["refresh_token"]?.string?.hasPrefix("ftr_") == true)
    #expect(plain.json["account"] == nil)
    #expect(try await Self.signIn(harness, "ana", ["refresh": "body"]).json["refresh_token"] != nil)
    #expect(try await Self.signIn(harness, "ana", ["kind": "browser"]).code == .invalidInput)
    #expect(try await Self.signIn(harness, "ana", ["refresh": "jar"]).code == .invalidInput)
    for account in ["", "x", "0123456789abcde", "0123456789abcdefg", "../../../../../x"] {
      #expect(try await Self.refresh(harness, account, []).status == 422, "\(account)")
    }
    #expect(try await Self.refresh(harness, "0123456789abcdef", []).code == .sessionExpired)
    let both: JSONObject = [
      "account": "0123456789abcdef", "refresh_token": plain.json["refresh_token"] ?? .null,
    ]
    #expect(try await harness.api.post("/v1/auth/refresh", both).code == .invalidInput)
    #expect(try await harness.api.post("/v1/auth/refresh").code == .missingFields)
  }

  @Test func `a sign-up and a second factor keep the token in a cookie too`() async throws {
    let harness = try await SignInHarness.open()
    let body: JSONObject = [
      "email": .string(harness.email("eva")), "name": "Eva", "password": .string(SignInHarness.password),
      "refresh": "cookie",
    ]
    let made = try await harness.api.post("/v1/auth/sign-up", body, headers: Self.ownPage)
    #expect(made.status == 201)
    #expect(made.json["account"] != nil && !made.text.contains("ftr_"))
    let (app, _) = try await harness.enrol(made)
    let first = try await Self.signIn(harness, "eva")
    #expect(first.status == 202)
    #expect(first.headers["set-cookie"] == nil)
    let second = try await harness.api.post(
      "/v1/auth/second-factor",
      [
        "step_token": first.json["step_token"] ?? .null, "code": .string(app.code(.second)),
        "refresh": "cookie",
      ],
      headers: Self.ownPage
    )
    #expect(second.status == 200, "\(second.text)")
    #expect(second.json["account"] == made.json["account"])
    #expect(Self.cookies(second).contains { $0.name.contains("fettle-refresh") })
    #expect(!second.text.contains("ftr_"))
  }

  @Test func `a browser that comes back from an identity provider brings the app the name of its account`()
    async throws
  {
    let fixture = try await ProviderFixture.open(
      ProviderShape("google") { shape in
        shape.claims = ["email": "{email}", "email_verified": true, "name": "Ana Berg"]
      }
    )
    let back = try await fixture.browse(fixture.person(), redirect: "/app/%3Fa=1%23x&refresh=cookie")
    #expect(back.status == 303)
    let location = try #require(back.headers["location"])
    let account = try #require(
      location.firstMatch(of: /^\/app\/\?a=1&account=([0-9a-f]{16})#x$/)?.1,
      "\(location)"
    )
    let names = Self.cookies(back).map(\.name)
    #expect(names == ["__Secure-fettle-refresh-\(account)"])
    let opened = try await Self.refresh(fixture.harness, String(account), Self.cookie(back))
    #expect(opened.status == 200)
    #expect(try await fixture.api.get("/v1/me", headers: opened.bearer).json["credential"] == "mobile")
    #expect(
      try await fixture.api.get("/v1/auth/google/start?refresh=body").code == .invalidInput
    )
  }
}
