internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Secrets
internal import SignIn

extension ProviderRoutes {
  /// What the state of a visit begins with if an app in the browser signs in.
  private static let appMark = "app."

  /// The parameter of the start with the path to open at the end.
  package static let redirectName = "redirect"
  /// The page of the server that begins a sign-in.
  private static let signInPage = "/sign-in"
  /// The names of what the callback tells the page to which it leads: a second factor is required, or the code of an
  /// error.
  package static let outcomes: Set = [secondFactorName, errorName]
  package static let secondFactorName = "second_factor"
  package static let errorName = "sign_in_error"

  /// Returns the segments of the path that begins a sign-in with a browser.
  package static func startPath(_ provider: String) -> [String] { ["v1", "auth", provider, "start"] }

  static let visitCookie = StepCookie(kind: .visit, life: Int(ProviderVisits.life))

  var start: Route {
    Route(
      .get,
      "/v1/auth/{provider}/start",
      Operation(
        "startSignIn",
        tag: "auth",
        "Send a browser to an identity provider",
        parameters: [
          Operation.Parameter(Self.redirectName, "The path on this server to open at the end (default /)"),
          Operation.Parameter(
            "refresh",
            "For an app in the browser: the refresh token is kept in a cookie, and the query of `redirect` names the account",
            .enumeration(["cookie"])
          ),
        ],
        answers: [Operation.Answer(303, "The provider's sign-in page is in Location")],
        errors: [.notFound, .providerUnavailable]
      ),
      admission: .everybody,
      onError: { error, request in
        Self.leadBack(to: StrictQuery(request).text(Self.redirectName), error, request)
      }
    ) { request in
      let provider = try providers.named(request.parameter("provider"))
      let query = StrictQuery(request)
      guard [nil, "cookie"].contains(query.text("refresh")) else {
        throw DomainError(.invalidInput, "refresh must be cookie")
      }
      let (url, cookie) = try await begin(
        provider,
        redirect: query.text(Self.redirectName) ?? "/",
        isApp: query.text("refresh") != nil,
        request
      )
      return APIAnswer(status: 303, headers: ["location": url, "set-cookie": cookie])
    }
  }

  /// Begins a visit, and returns the address of the provider's page and the cookie of the browser.
  func begin(
    _ provider: IdentityProvider,
    redirect: String,
    isApp: Bool = false,
    linking: ActingContext? = nil,
    _ request: APIRequest
  ) async throws -> (url: String, cookie: String) {
    let step = OIDCFlow.Step.random(marked: isApp ? Self.appMark : "")
    var cookie = Self.visitCookie
    cookie.isCrossSite = provider.issuer.answersByForm
    // Several tabs of a browser may sign in at the same time, with the same cookie.
    let browser = cookie.value(of: request) ?? Base64.encode(SecureRandom.bytes(32), alphabet: .url)
    let client = answers.browserChoices(request).client
    let url = try await signIn.identifying(client, at: provider.issuer.name) {
      try await provider.asked { try await flow(provider, request).authorizationURL(step) }
    }
    try await visits.begin(
      state: step.state,
      nonce: step.nonce,
      verifier: step.verifier,
      browser: browser,
      issuer: provider.issuer.issuer,
      redirect: redirect,
      linking: linking
    )
    return (url, cookie.field(browser, origin: request.origin))
  }

  /// The route to which the provider sends the browser back: with a query, or as Apple does with a form.
  func answer(_ method: APIMethod) -> Route {
    let isForm = method == .post
    let place = "in the \(isForm ? "form" : "query")"
    let names = ["state", "code", "iss", "error"]
    return Route(
      method,
      "/v1/auth/{provider}/callback",
      Operation(
        isForm ? "finishSignInByForm" : "finishSignIn",
        tag: "auth",
        "Receive the answer of an identity provider, \(place)",
        parameters: isForm
          ? [] : names.map { Operation.Parameter($0, "The provider's answer (OpenID Connect)") },
        // Providers add parameters of their own.
        hasOpenQuery: true,
        answers: [Operation.Answer(303, "Signed in, or the error in the query of Location")],
        errors: [.signInRefused]
      ),
      admission: .everybody,
      body: isForm ? .form() : BodyKind.none,
      onError: { error, request in Self.leadBack(to: nil, error, request) }
    ) { request in
      let pairs = isForm ? Self.form(request) : request.query
      // A repeated name is ignored: another component could read the other value.
      let values = Dictionary(pairs.map { ($0.name, [$0.value]) }, uniquingKeysWith: +)
      func value(_ name: String) -> String? { values[name].flatMap { $0.count == 1 ? $0[0] : nil } }
      let provider = try providers.named(request.parameter("provider"))
      let client = answers.browserChoices(request).client
      let state = value("state") ?? ""
      let name = provider.issuer.name
      let visit = try await signIn.identifying(client, at: name) {
        guard let browser = Self.visitCookie.value(of: request) else {
          throw DomainError(
            .signInRefused,
            "this sign-in was not begun in this browser",
            hint: "begin the sign-in again"
          )
        }
        return try await visits.take(state: state, browser: browser, issuer: provider.issuer.issuer)
      }
      do {
        let identity = try await signIn.identifying(client, at: name) {
          guard let code = value("code"), value("error") == nil else {
            throw OIDCFlow.refusal(value("error"), by: provider.issuer)
          }
          return try await provider.asked {
            try await flow(provider, request).identity(
              OIDCFlow.Answer(state: state, code: code, issuer: value("iss")),
              verifier: visit.verifier,
              nonceHash: visit.nonceHash
            )
          }
        }
        return try await finish(identity, at: name, visit, isApp: state.hasPrefix(Self.appMark), request)
      } catch let error as DomainError {
        // The browser goes back to the page of the sign-in, with the code of the error in the query.
        return Self.redirection(to: visit.redirect, [Self.errorName: error.code.rawValue])
      }
    }
  }

  private func finish(
    _ identity: VerifiedIdentity,
    at provider: String,
    _ visit: ProviderVisits.Answered,
    isApp: Bool,
    _ request: APIRequest
  ) async throws -> APIAnswer {
    if let acting = visit.linking {
      try await identities.link(acting, identity)
      return Self.redirection(to: visit.redirect, ["linked": "true"])
    }
    let choices = answers.browserChoices(request, isApp: isApp)
    let result = try await signIn.signIn(identity, at: provider, request: choices)
    var answer = try answers.browserAnswer(result, request)
    answer.status = 303
    answer.body = .empty
    answer.headers["content-type"] = nil
    switch result {
    case .secondFactor(let token, let seconds):
      let cookie = StepCookie(kind: .factor, life: seconds)
      answer.headers.add("set-cookie", cookie.field(token, origin: request.origin))
      answer.headers["location"] = Self.path(visit.redirect, [Self.secondFactorName: "required"])
    case .session(let opened):
      answer.headers["location"] =
        isApp ? Self.path(visit.redirect, ["account": opened.account]) : visit.redirect
    }
    return answer
  }

  /// Leads a browser to a page with the code of an error; nil for a program, which gets the problem document.
  ///
  /// - Parameter page: the page that was asked for; nil, or no path of this server, for the sign-in.
  private static func leadBack(to page: String?, _ error: DomainError, _ request: APIRequest) -> APIAnswer? {
    guard request.acceptsPages else { return nil }
    let page = page.flatMap { try? ProviderVisits.localPath($0) } ?? signInPage
    return redirection(to: page, [errorName: error.code.rawValue])
  }

  private static func redirection(to path: String, _ query: KeyValuePairs<String, String>) -> APIAnswer {
    APIAnswer(status: 303, headers: ["location": self.path(path, query)])
  }

  private static func path(_ path: String, _ query: KeyValuePairs<String, String>) -> String {
    let halves = path.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let text = FormCoding.encode(query.map { (name: $0.key, value: $0.value) })
    let fragment = halves.count == 2 ? "#\(halves[1])" : ""
    return "\(halves[0])\(halves[0].contains("?") ? "&" : "?")\(text)\(fragment)"
  }

  private func flow(_ provider: IdentityProvider, _ request: APIRequest) -> OIDCFlow {
    OIDCFlow(provider, redirect: "\(request.origin)/v1/auth/\(provider.issuer.name)/callback")
  }

  private static func form(_ request: APIRequest) -> [(name: String, value: String)] {
    guard case .bytes(let bytes) = request.body, let text = String(validating: bytes, as: UTF8.self) else {
      return []
    }
    return PercentCoding.query(text) ?? []
  }
}
