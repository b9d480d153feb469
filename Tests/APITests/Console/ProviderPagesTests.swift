import API
import Domain
import EngineFixtures
import FoundationEssentials
import SignIn
import SignInFixtures
import Store
import Testing

/// Sign-in with an identity provider on the pages of the console, by the links that they have.
@Suite(.timeLimit(.minutes(60))) struct ProviderPagesTests {
  private let console: ConsoleFixture
  private let issuer: ShapedIssuer
  private let ana: ShapedIssuer.Person

  init() async throws {
    let shape = ProviderShape("google") { shape in
      shape.claims = ["email": "{email}", "email_verified": true, "name": "Ana Berg"]
    }
    issuer = try await ShapedIssuer(shape)
    console = try await ConsoleFixture.open(providers: try await ProviderFixture.providers(issuer))
    let word = "w\(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(12))"
    ana = ShapedIssuer.Person(subject: "ana-\(word)", email: "ana@\(word).example")
  }

  /// Returns the link of the page to the provider.
  private func button(_ page: TestPage) throws -> String {
    try #require(page.links.first { $0.hasPrefix("/v1/auth/") }, "\(page.text)")
  }

  /// Follows the page's link to the provider, signs in there, and follows the way back.
  private func signIn(_ browser: inout TestBrowser) async throws -> TestPage {
    let there = try await browser.open(try button(browser.page))
    try #require(there.path.hasPrefix("https://"), "\(there.path): \(there.plain)")
    let answer = FormCoding.encode(try issuer.authorize(there.path, as: ana))
    return try await browser.open("/v1/auth/google/callback?\(answer)")
  }

  /// Sends JSON as a script of a page does.
  private func send(_ path: String, _ body: JSONObject, _ browser: inout TestBrowser) async throws
    -> JSONObject
  {
    let bytes = Array(JSONValue.object(body).text.utf8)
    let page = try await browser.show(.post, path, .bytes(bytes), type: "application/json")
    return try #require(try JSONValue(parsing: page.text).object)
  }

  @Test func `a sign-in leads to the page that was asked for, with a second factor too`() async throws {
    var browser = console.browser
    try await browser.open("/sign-in")
    let home = try await signIn(&browser)
    #expect(home.status == 200 && home.path.hasPrefix("/c/"), "\(home.path)")
    let asked = home.path + "/me?from=a%26b"
    browser.cookies = [:]
    #expect(try await browser.open(asked).heading == "Sign in")
    #expect(try await signIn(&browser).path == asked)

    let begun = try await send("/v1/me/totp", [:], &browser)
    let app = Authenticator(base32: try #require(begun["secret"]?.string))
    _ = try await send("/v1/me/totp/confirm", ["code": .string(app.code(.first))], &browser)
    browser.cookies = [:]
    try await browser.open(asked)
    #expect(try await signIn(&browser).heading == "Second step")
    let wrong = try await browser.send("/sign-in/code", ["code": "wrong"])
    #expect(wrong.status == 422 && wrong.plain.contains("This code is not accepted."), "\(wrong.plain)")
    let there = try await browser.send("/sign-in/code", ["code": app.code(.second)])
    #expect(there.status == 200 && there.path == asked, "\(there.path)")
    #expect(browser.cookies["__Host-fettle-second-factor"] == nil)

    var late = console.browser
    #expect(try await late.open(asked + "&second_factor=required").heading == "Second step")
    let over = try await late.send("/sign-in/code", ["code": "000000"])
    #expect(over.heading == "Sign in" && over.plain.contains("The sign-in took too long."))
    #expect(over.form("/sign-in")?.fields.first { $0.name == "next" }?.value == asked)
  }

  @Test func `a refused sign-in is explained on a page`() async throws {
    issuer.setDown(true)
    var browser = console.browser
    try await browser.open(console.at("/me"))
    let down = try await browser.open(try button(browser.page))
    #expect(down.status == 200 && down.heading == "Sign in")
    #expect(down.plain.contains("The provider cannot be reached."))
    #expect(try button(down).contains(console.shop.company.slug), "the page that was asked for is kept")
    issuer.setDown(false)

    let callback = "/v1/auth/google/callback?code=c&state=s"
    let late = try await browser.open(callback)
    #expect(late.status == 200 && late.plain.contains("was not accepted, or took too long."))
    browser.headers.append(("accept-language", "sv"))
    #expect(try await browser.open(callback).plain.contains("godtogs inte"))
    browser.headers = [("accept", "application/json")]
    #expect(try await browser.open(callback).status == 401)

    for path in ["/", console.at("/me")] {
      var other = console.browser
      let page = try await other.open("\(path)?sign_in_error=sign_in_first")
      #expect(page.plain.contains("Sign in with its password."), "\(path)")
    }
    var other = console.browser
    #expect(try await other.open("/sign-in?sign_in_error=%3Cb%3E").plain.contains("did not work"))
  }

  @Test func `each link of a page without a session leads somewhere`() async throws {
    for path in ["/", "/sign-in", "/sign-in?next=/c/acme/me%3Fa=%2526", "/sign-up", "/forgot"] {
      var browser = console.browser
      for link in try await browser.open(path).links where link.hasPrefix("/") {
        var other = console.browser
        let page = try await other.open(String(link.prefix { $0 != "#" }))
        #expect(page.status < 400 || page.path.hasPrefix(issuer.origin), "\(path): \(link) \(page.status)")
      }
    }
  }
}
