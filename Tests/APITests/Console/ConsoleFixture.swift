import API
import Console
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Secrets
import SignIn
import Store
import Testing

/// The pages of the console over a real database, without sockets: the same routes, gate and limits as the server's.
struct ConsoleFixture: Sendable {
  let shop: Workshop
  let api: API
  let services: Services

  static let origin = "https://fettle.example"
  static let password = "correct horse battery"

  /// - Parameters:
  ///   - given: the services of the routes; nil for those of the workshop.
  ///   - providers: the identity providers.
  static func open(
    _ shop: Workshop? = nil,
    services given: Services? = nil,
    providers: IdentityProviders = .none
  ) async throws -> ConsoleFixture {
    let shop = if let shop { shop } else { try await Workshop.open() }
    let services = given ?? shop.engine.services
    let records = try await Records.open(services)
    let hasher = PasswordHasher(cost: 1, pool: ThreadPool(threads: 2, queueLimit: 64))
    let answers = SignInAnswers(services)
    var routes = SignInRoutes(services, hasher: hasher, answers: answers).routes
    routes += SecondFactorRoutes(services, answers: answers).routes
    routes += ProviderRoutes(services, providers: providers, hasher: hasher, answers: answers).routes
    routes += OwnAccountRoutes(services, hasher: hasher).routes
    routes += OwnTokenRoutes(services).routes
    routes += OwnCompanyRoutes(services, answers: answers).routes
    routes += PreferenceRoutes(services).routes
    routes += PeopleRoutes(services, about: AboutSettings(version: "1", signIn: ["password"])).routes
    routes += WorkRoutes(services, reports: services, allowsPrivateWebhooks: false).routes
    routes += RecordRoutes(services, records).routes + FileRoutes(services, records).routes
    routes += SyncRoutes(services, records, hub: HintHub(key: [])).routes
    let kept = KeptAnswers(services)
    let console = Console(
      services,
      records,
      inner: InnerAPI(routes, kept: kept),
      providers: providers.all.map { ($0.issuer.name, $0.issuer.label) }
    )
    let api = API(
      routes: routes + console.routes,
      gate: SessionGate(services, uses: CredentialUses(services.database)),
      kept: kept,
      errorPage: { console.errorPage($0, $1) }
    )
    return ConsoleFixture(shop: shop, api: api, services: services)
  }

  /// A browser in which nobody is signed in.
  var browser: TestBrowser { TestBrowser(api: api) }

  /// A browser in which a member of the workshop is signed in.
  func browser(_ name: String) async throws -> TestBrowser {
    let member = try #require(shop.members[name])
    var browser = browser
    browser.cookies["__Host-fettle"] = try await TestSession.cookie(of: member, in: shop.company, services)
    return browser
  }

  /// The address of a page of the workshop.
  func at(_ path: String) -> String { "/c/\(shop.company.slug)\(path)" }
}

/// Sessions for tests of pages.
enum TestSession {
  /// Returns the cookie of a new session of a member.
  static func cookie(of member: MemberRow, in company: CompanyRow, _ services: Services) async throws
    -> String
  {
    let client = SignInClient(transport: .browser, address: "192.0.2.1", requestID: UUID())
    let request = SignInRequest(client: client, company: company.slug)
    let result = try await SignInCompletion(services).complete(
      user: member.userID,
      proof: .password,
      request: request
    )
    guard case .session(let opened) = result else { throw DomainError(.internal) }
    return opened.token.text
  }
}

/// A browser without scripts: it keeps cookies, follows links and sends forms.
struct TestBrowser: Sendable {
  let api: API
  var cookies: [String: String] = [:]
  /// The page that is shown.
  private(set) var page = TestPage(status: 0, headers: APIHeaders(), text: "", path: "")
  var headers: [(name: String, value: String)] = [("accept", "text/html")]
  /// The network address of the browser.
  let address: String
  let origin: String

  init(api: API, address: String = "192.0.2.1", origin: String = ConsoleFixture.origin) {
    self.api = api
    self.address = address
    self.origin = origin
  }

  /// Opens an address, and follows redirections.
  @discardableResult
  mutating func open(_ target: String) async throws -> TestPage {
    try await show(.get, target, .none, type: nil)
  }

  /// Sends a form of the page.
  ///
  /// - Parameters:
  ///   - action: the end of the form's address.
  ///   - fields: what the person writes; the other fields are sent as they are.
  @discardableResult
  mutating func send(_ action: String, _ fields: [String: String] = [:]) async throws -> TestPage {
    let form = try #require(page.form(action), "there is no form for \(action): \(page.text)")
    var pairs = form.fields.filter { fields[$0.name] == nil }
    pairs += fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    return try await post(form.action, pairs)
  }

  /// Sends fields to an address, as a page of this server does.
  @discardableResult
  mutating func post(_ target: String, _ pairs: [(name: String, value: String)]) async throws -> TestPage {
    let text = pairs.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
    return try await show(.post, target, .bytes(Array(text.utf8)), type: "application/x-www-form-urlencoded")
  }

  @discardableResult
  mutating func show(_ method: APIMethod, _ target: String, _ body: APIBody, type: String?) async throws
    -> TestPage
  {
    var (method, target, body) = (method, target, body)
    for _ in 0..<5 {
      let answer = try await answer(method, target, body, type: type)
      for cookie in answer.headers.all("set-cookie") {
        let pair = cookie.prefix { $0 != ";" }.split(
          separator: "=",
          maxSplits: 1,
          omittingEmptySubsequences: false
        )
        let value = String(pair.count > 1 ? pair[1] : "")
        cookies[String(pair[0])] = value.isEmpty ? nil : value
      }
      page = TestPage(status: answer.status, headers: answer.headers, text: answer.text, path: target)
      guard answer.status == 303, let location = answer.headers["location"] else { return page }
      (method, target, body) = (.get, String(location.prefix { $0 != "#" }), .none)
    }
    throw DomainError(.internal, "the pages lead to each other for ever")
  }

  private func answer(_ method: APIMethod, _ target: String, _ body: APIBody, type: String?) async throws
    -> TestAnswer
  {
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = try #require(PercentCoding.query(halves.count == 2 ? halves[1] : ""))
    var fields = APIHeaders(headers)
    if !cookies.isEmpty {
      fields["cookie"] = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(
        separator: "; "
      )
    }
    if method == .post, fields["sec-fetch-site"] == nil { fields["sec-fetch-site"] = "same-origin" }
    if let type { fields["content-type"] = type }
    let request = APIRequest(
      method: method,
      path: String(halves[0]),
      query: query,
      headers: fields,
      body: body,
      id: UUID(),
      address: address,
      origin: origin
    )
    guard case .route(let route, let parameters) = api.table.find(method, request.path) else {
      return try await TestAnswer(api.refusal(DomainError(.notFound), request))
    }
    return try await TestAnswer(await api.answer(request, of: route, parameters: parameters))
  }
}

/// A page as a browser without scripts reads it.
struct TestPage: Sendable {
  let status: Int
  let headers: APIHeaders
  let text: String
  let path: String

  /// The first heading without markup.
  var heading: String {
    Self.plain(String(text.firstMatch(of: /<h1[^>]*>((?:.|\n)*?)<\/h1>/)?.1 ?? ""))
  }

  /// The text without markup.
  var plain: String { Self.plain(text) }

  /// The addresses of the links.
  var links: [String] { text.matches(of: /href="([^"]*)"/).map { Self.decoded(String($0.1)) } }

  /// A form: where it goes, and what it sends if nothing is written.
  struct Form: Sendable {
    let action: String
    let fields: [(name: String, value: String)]
    let text: String
  }

  /// The forms that are sent by POST.
  var forms: [Form] {
    text.matches(of: /<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>((?:.|\n)*?)<\/form>/).map { match in
      let inside = String(match.2)
      var fields: [(name: String, value: String)] = []
      for input in inside.matches(of: /<input([^>]*)>/) {
        let attributes = String(input.1)
        guard let name = attributes.firstMatch(of: /\ name="([^"]*)"/)?.1 else { continue }
        let isChoice = attributes.contains(/type="(radio|checkbox)"/)
        if isChoice, !attributes.contains(" checked") { continue }
        if attributes.contains("type=\"file\"") { continue }
        fields.append(
          (String(name), Self.decoded(String(attributes.firstMatch(of: /value="([^"]*)"/)?.1 ?? "")))
        )
      }
      for area in inside.matches(of: /<textarea[^>]* name="([^"]*)"[^>]*>((?:.|\n)*?)<\/textarea>/) {
        fields.append((String(area.1), Self.decoded(String(area.2))))
      }
      for select in inside.matches(of: /<select[^>]* name="([^"]*)"[^>]*>((?:.|\n)*?)<\/select>/) {
        let options = String(select.2).matches(of: /<option value="([^"]*)"( selected)?>/)
        let chosen = options.first { $0.2 != nil } ?? options.first
        fields.append((String(select.1), Self.decoded(String(chosen?.1 ?? ""))))
      }
      return Form(action: Self.decoded(String(match.1)), fields: fields, text: inside)
    }
  }

  /// The form whose address ends so.
  func form(_ action: String) -> Form? { forms.first { $0.action.hasSuffix(action) } }

  private static func plain(_ html: String) -> String {
    let text = html.replacing(/<(style|script)(?:.|\n)*?<\/(style|script)>/, with: "").replacing(
      /<[^>]*>/,
      with: " "
    )
    return decoded(text).split { $0.isWhitespace }.joined(separator: " ")
  }

  private static func decoded(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}
