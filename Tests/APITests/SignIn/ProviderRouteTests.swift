import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import SignIn
import Testing

/// The routes of identity providers and second factors.
@Suite(.timeLimit(.minutes(60))) struct ProviderRouteTests {
  /// A provider that answers nothing but its discovery document.
  private struct Silent: ProviderClient {
    func send(_ request: ProviderRequest) async throws -> ProviderAnswer {
      guard request.form == nil else { return ProviderAnswer(status: 400, body: []) }
      let url = request.url
      let document: JSONObject = [
        "issuer": "https://id.example", "jwks_uri": "https://id.example/keys",
        "authorization_endpoint": "https://id.example/authorize",
        "token_endpoint": "https://id.example/token",
      ]
      let keys: JSONObject = ["keys": []]
      let object = url.hasSuffix("openid-configuration") ? document : keys
      return ProviderAnswer(status: 200, body: Array(JSONValue.object(object).text.utf8))
    }
  }

  private static func open() async throws -> APIFixture {
    let issuers = [false, true].map { isForm in
      IdentityProvider(
        Issuer(
          name: isForm ? "apple" : "staff",
          label: "Work",
          issuer: "https://id.example",
          clientIDs: ["client"],
          proof: .secret(Issuer.Secret("hunter2")),
          answersByForm: isForm
        ),
        client: Silent()
      )
    }
    return try await APIFixture.open { services in
      let answers = SignInAnswers(services)
      let providers = ProviderRoutes(
        services,
        providers: IdentityProviders(issuers),
        hasher: PasswordHasher(),
        answers: answers
      )
      return providers.routes + OwnIdentityRoutes(services, browser: providers).routes
        + SecondFactorRoutes(services, answers: answers).routes
    }
  }

  @Test func `providers are listed without their secrets`() async throws {
    let answer = try await Self.open().get("/v1/auth/providers")
    #expect(answer.status == 200)
    #expect(answer.items.map { $0["name"]?.string } == ["staff", "apple"])
    #expect(!answer.text.contains("hunter2"))
  }

  @Test func `a browser is sent to the provider with a cookie that its answer needs`() async throws {
    let api = try await Self.open()
    let start = try await api.get("/v1/auth/staff/start?redirect=/app")
    #expect(start.status == 303)
    let location = try #require(start.headers["location"])
    #expect(location.hasPrefix("https://id.example/authorize?response_type=code&"))
    #expect(location.contains("callback&") && !location.contains("hunter2"))
    let cookie = try #require(start.headers["set-cookie"])
    #expect(cookie.hasPrefix("__Host-fettle-sign-in=") && cookie.hasSuffix("HttpOnly; Secure; SameSite=Lax"))
    // Apple's answer is a form that another site sends.
    let apple = try await api.get("/v1/auth/apple/start")
    #expect(apple.headers["set-cookie"]?.hasSuffix("HttpOnly; Secure; SameSite=None") == true)
    let state = try #require(location.split(separator: "&").first { $0.hasPrefix("state=") })
    #expect(try await api.get("/v1/auth/staff/callback?code=c&\(state)").code == .signInRefused)
    let pair = String(cookie.prefix { $0 != ";" })
    let answered = try await api.get("/v1/auth/staff/callback?code=c&\(state)", headers: [("cookie", pair)])
    // The provider refuses the code, which the page of the sign-in shows.
    #expect(answered.status == 303 && answered.headers["location"] == "/app?sign_in_error=sign_in_refused")
    let again = try await api.get("/v1/auth/staff/callback?code=c&\(state)", headers: [("cookie", pair)])
    #expect(again.code == .signInRefused)
  }

  @Test func `another server is no place to return to, and unknown providers are not found`() async throws {
    let api = try await Self.open()
    #expect(try await api.get("/v1/auth/staff/start?redirect=//evil.example").code == .invalidInput)
    #expect(try await api.get("/v1/auth/nobody/start").code == .notFound)
    #expect(try await api.post("/v1/auth/nobody", ["id_token": "x"]).code == .notFound)
    #expect(try await api.post("/auth/google", ["idToken": "x"]).code == .notFound)
  }

  @Test func `a token without a signature is refused on every route`() async throws {
    let api = try await Self.open()
    for (path, name) in [
      ("/v1/auth/staff", "id_token"), ("/v1/auth/apple", "idToken"), ("/auth/apple", "idToken"),
    ] {
      #expect(try await api.post(path, [:]).code == .missingFields)
      let answer = try await api.post(path, JSONObject([(name, .string("e30.e30."))]))
      #expect(answer.status == 401 && answer.code == .signInRefused)
      #expect(try await api.post(path, ["token": "x"]).code == .unknownFields)
    }
    let site = [(name: "origin", value: "https://evil.example")]
    let forged = try await api.post("/v1/auth/staff", ["id_token": "x"], headers: site)
    #expect(forged.code == .crossSiteRequest)
  }

  @Test func `a refused token and an answer that no browser began are audited`() async throws {
    let api = try await Self.open()
    func refusals(_ address: String) async throws -> Int64 {
      try await api.shop.engine.superuser.value(
        """
        select count(*) from core.audit a
        where a.action = 'session.refused' and a.detail ->> 'method' = 'identity' and a.subject_id = ''
          and a.detail ->> 'address' = \(address)
        """,
        as: Int64.self
      )
    }
    for _ in 0..<2 {
      let body = APIBody.text(#"{"id_token": "e30.e30."}"#)
      _ = try await api.send(.post, "/v1/auth/staff", body, address: "198.51.100.20")
    }
    #expect(try await refusals("198.51.100.20") == 1)
    let callback = "/v1/auth/staff/callback?code=c&state=s"
    _ = try await api.send(.get, callback, address: "198.51.100.21")
    #expect(try await refusals("198.51.100.21") == 1)
  }

  @Test func `nonces differ, and a step token that nobody made opens nothing`() async throws {
    let api = try await Self.open()
    let nonces = [try await api.post("/v1/auth/nonce"), try await api.post("/v1/auth/nonce")]
    #expect(nonces.allSatisfy { $0.status == 201 } && nonces[0].json["nonce"] != nonces[1].json["nonce"])
    let answer = try await api.post("/v1/auth/second-factor", ["step_token": "x", "code": "000000"])
    #expect(answer.status == 401 && answer.code == .sessionExpired)
  }

  @Test func `credentials are shown to a person, and changed after a recent sign-in only`() async throws {
    let api = try await Self.open()
    let person = try api.member("user")
    #expect(try await api.get("/v1/me/totp", as: person).json["enabled"]?.bool == false)
    #expect(try await api.get("/v1/me/identities", as: person).items.isEmpty)
    #expect(try await api.get("/v1/me/totp").status == 401)
    let token = try await api.token("user", scopes: ["maintenance.machine.read"])
    #expect(try await api.get("/v1/me/identities", as: token).code == .forbidden)
    for (method, path) in [
      (APIMethod.post, "/v1/me/totp"), (.delete, "/v1/me/totp"), (.post, "/v1/me/totp/confirm"),
      (.post, "/v1/me/totp/recovery-codes"), (.post, "/v1/me/identities"), (.post, "/v1/me/identities/start"),
      (.delete, "/v1/me/identities/\(UUID().uuidString)"),
    ] {
      let answer = try await api.send(method, path, .text("{}"), as: person)
      #expect(answer.code == .unauthenticated, "\(path)")
    }
    // A caller who says so, but whose session has no recent sign-in, is refused by the use case.
    let pretender = try api.member("user", isStrong: true)
    #expect(try await api.post("/v1/me/totp", as: pretender).code == .unauthenticated)
  }
}
