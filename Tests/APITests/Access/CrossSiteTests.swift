import API
import Domain
import Testing

/// Changes with a cookie, by every combination of the headers that browsers send.
@Suite(.timeLimit(.minutes(60))) struct CrossSiteTests {
  @Test func `a change with a cookie needs a sign of this site`() async throws {
    let harness = try await SignInHarness.open()
    let ana = try await harness.register(kind: "browser")
    let bea = try await harness.register("bea", kind: "browser")
    let own = APIFixture.origin
    let matrix: [(headers: [(name: String, value: String)], isAccepted: Bool)] = [
      ([], false),
      ([("sec-fetch-site", "same-origin")], true),
      ([("sec-fetch-site", "same-site")], false),
      ([("sec-fetch-site", "cross-site")], false),
      ([("sec-fetch-site", "none")], false),
      ([("origin", own)], true),
      ([("origin", "https://evil.example")], false),
      ([("origin", "null")], false),
      ([("origin", "\(own).evil.example")], false),
      ([("origin", "http://fettle.example")], false),
      ([("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")], false),
      ([("referer", "\(own)/page")], false),
      ([("x-csrf-token", ana.forgeryToken)], true),
      ([("x-csrf-token", bea.forgeryToken)], false),
      ([("x-csrf-token", "")], false),
    ]
    for (headers, isAccepted) in matrix {
      let answer = try await harness.api.patch("/v1/me", ["name": "Anna"], headers: ana.cookie + headers)
      #expect(answer.status == (isAccepted ? 200 : 403), "\(headers)")
      if !isAccepted { #expect(answer.code == .crossSiteRequest, "\(headers)") }
    }
    // Reading needs none.
    #expect(try await harness.api.get("/v1/me", headers: ana.cookie).status == 200)
  }

  @Test func `a bearer token needs no sign, and a cookie beside it is ignored`() async throws {
    let harness = try await SignInHarness.open()
    let phone = try await harness.register()
    let bea = try await harness.register("bea", kind: "browser")
    let headers = phone.bearer + bea.cookie + [("sec-fetch-site", "cross-site")]
    let answer = try await harness.api.patch("/v1/me", ["name": "Anna"], headers: headers)
    #expect(answer.status == 200)
    #expect(answer.json["email"]?.string == harness.email("ana"))
    // An invalid bearer token is not replaced by the cookie.
    let wrong = [(name: "authorization", value: "Bearer fta_nothing")] + bea.cookie
    #expect(try await harness.api.get("/v1/me", headers: wrong).status == 401)
  }

  @Test func `another site cannot sign a browser in`() async throws {
    let harness = try await SignInHarness.open()
    _ = try await harness.register()
    let body: JSONObject = [
      "email": .string(harness.email("ana")), "password": .string(SignInHarness.password), "kind": "browser",
    ]
    for headers in [[("origin", "https://evil.example")], [("sec-fetch-site", "cross-site")]] {
      let answer = try await harness.api.post("/v1/auth/sign-in", body, headers: headers)
      #expect(answer.code == .crossSiteRequest && answer.headers["set-cookie"] == nil)
    }
    let own = try await harness.api.post("/v1/auth/sign-in", body, headers: [("origin", APIFixture.origin)])
    #expect(own.status == 200)
  }
}
