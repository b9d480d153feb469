internal import Domain
package import Engine
internal import FoundationEssentials
package import Secrets
internal import Store

/// The routes of sign-up, sign-in by password, refresh and sign-out, and of guests and visitors.
package struct SignInRoutes: Sendable {
  private let services: Services
  private let answers: SignInAnswers
  private let passwords: PasswordSignIn
  private let signUp: SignUp

  /// - Parameter hasher: the process-wide pool of the expensive hashes.
  package init(_ services: Services, hasher: PasswordHasher, answers: SignInAnswers) {
    self.services = services
    self.answers = answers
    passwords = PasswordSignIn(services, hasher: hasher)
    signUp = SignUp(services, hasher: hasher)
  }

  package var routes: [Route] { [register, signIn, refresh, signOut, guest, visitor] }

  private static let company = Schema.object([
    Schema.Member("name", .text(maximum: 200)),
    .optional("slug", .string, "Short name (default: derived from the name)"),
    .optional("kind", .enumeration(["business", "household", "personal"]), "Kind (default business)"),
    .optional("timezone", .string, "IANA time zone (default UTC)"),
    .optional("apps", .array(of: .string), "Apps to use (default: all installed ones, later ones too)"),
  ])

  private var register: Route {
    let names = [
      Schema.Member("email", .email), Schema.Member("name", .text(maximum: 200)),
      Schema.Member("password", .string, "12 to 128 characters, not easy to guess"),
      .optional("company", Self.company, "A new company; without it and without a code, a personal one"),
      .optional("code", .string, "Invite code of a company to join"),
      .optional(
        "language",
        .enumeration(Language.allCases.map(\.rawValue)),
        "Language of the person's pages and mails, and of a new company (default: the company's)"
      ),
      .optional(
        "visitor",
        .string,
        "Access token of the visitor whose records to claim (default: the cookie)"
      ),
    ]
    let members = names + SignInAnswers.client + [SignInAnswers.refresh]
    return Route(
      .post,
      "/v1/auth/sign-up",
      Operation(
        "signUp",
        tag: "auth",
        "Create an account with a company, or join a company by code",
        request: .object(members),
        answers: [Operation.Answer(201, "The session of the new account", SignInAnswers.session)],
        errors: [
          .signInFirst, .inviteRefused, .invalidInviteCode, .alreadyExists, .invalidEmail, .invalidName,
          .invalidPassword, .invalidSlug, .invalidTimeZone, .crossSiteRequest,
        ]
      ),
      admission: .everybody
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      let client = try answers.client(request, body)
      let account = SignUp.Account(
        email: try body.text("email"),
        name: try body.text("name"),
        password: try body.text("password"),
        language: try body.optionalChoice("language", Language.self)
      )
      let place = try await place(body, account, request)
      let opened = try await signUp.signUp(account, in: place, client: client)
      return try answers.answer(opened, request, status: 201)
    }
  }

  /// Returns the company in which an account begins.
  ///
  /// - Throws: `invalid_input` for a company and a code.
  private func place(_ body: RequestMembers, _ account: SignUp.Account, _ request: APIRequest) async throws
    -> SignUp.Place
  {
    let company = try body.optionalObject("company")
    if let code = try body.optionalText("code") {
      guard company == nil else { throw DomainError(.invalidInput, "send a company or a code, not both") }
      return .invite(code: code)
    }
    if let company { return .company(try Self.newCompany(company)) }
    if let token = try body.optionalText("visitor") { return .visitor(token: token) }
    if let cookie = SessionCookie.value(of: request), try await Visitors(services).isVisitor(cookie) {
      return .visitor(token: cookie)
    }
    return .company(NewCompany(name: account.name, kind: .personal))
  }

  /// Returns the company that an object describes.
  ///
  /// - Throws: `unknown_fields`, `missing_fields`, `invalid_input`.
  static func newCompany(_ object: JSONObject) throws -> NewCompany {
    let body = try RequestMembers(object, company, longestText: 1_000)
    return NewCompany(
      name: try body.text("name"),
      slug: try body.optionalText("slug"),
      kind: try body.optionalChoice("kind", CompanyKind.self) ?? .business,
      timeZone: try body.optionalText("timezone") ?? "UTC",
      apps: try body.optionalTexts("apps", most: 100)
    )
  }

  private var signIn: Route {
    let members =
      [Schema.Member("email", .email), Schema.Member("password", .string)] + answers.members(of: .first)
    return Route(
      .post,
      "/v1/auth/sign-in",
      Operation(
        "signIn",
        tag: "auth",
        "Sign in with e-mail address and password",
        request: .object(members),
        answers: answers.results,
        errors: [
          .signInRefused, .forbidden, .inviteRefused, .invalidInviteCode, .crossSiteRequest, .unavailable,
        ]
      ),
      admission: .everybody
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      let result = try await passwords.signIn(
        email: try body.text("email"),
        password: try body.text("password"),
        request: try answers.choices(request, of: .first)
      )
      return try answers.answer(result, request, spelling: .snake)
    }
  }

  private var refresh: Route {
    Route(
      .post,
      "/v1/auth/refresh",
      Operation(
        "refreshSession",
        tag: "auth",
        "Exchange a refresh token for new tokens",
        request: .object([
          .optional("refresh_token", .string, "Default: that in the cookie of the account"),
          .optional("account", .string, "The account whose cookie has the refresh token"),
        ]),
        answers: [Operation.Answer(200, "The new tokens", SignInAnswers.session)],
        errors: [.sessionExpired, .crossSiteRequest]
      ),
      admission: .everybody
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      guard let name = try body.optionalText("account") else {
        return try await refreshed(try body.text("refresh_token"), inCookie: false, request)
      }
      guard try body.optionalText("refresh_token") == nil else {
        throw DomainError(.invalidInput, "send a refresh token or an account, not both")
      }
      let account = try RefreshCookie.account(name)
      try answers.requireOwnPage(request)
      do {
        guard let token = RefreshCookie.value(of: request, account: account) else {
          throw DomainError(.sessionExpired)
        }
        return try await refreshed(token, inCookie: true, request)
      } catch let error as DomainError where error.code == .sessionExpired {
        var answer = Problem.answer(error, request: request.id)
        let removal = RefreshCookie.removal(account: account, origin: request.origin)
        answer.headers.add("set-cookie", removal)
        return answer
      }
    }
  }

  private func refreshed(_ token: String, inCookie: Bool, _ request: APIRequest) async throws -> APIAnswer {
    let client = SignInClient(
      transport: .mobile,
      keepsRefreshInCookie: inCookie,
      address: request.address,
      requestID: request.id
    )
    return try answers.answer(try await Sessions(services).refresh(token, client: client), request)
  }

  private var signOut: Route {
    Route(
      .post,
      "/v1/auth/sign-out",
      Operation(
        "signOut",
        tag: "auth",
        "End the session of this request",
        answers: [Operation.Answer(204, "Signed out")]
      ),
      admission: .optional
    ) { request in
      if let caller = request.caller { try await Sessions(services).signOut(caller.acting) }
      var answer = APIAnswer.noContent
      answer.headers.add("set-cookie", SignInAnswers.removal(of: request.caller, request))
      return answer
    }
  }

  private var guest: Route {
    let members =
      SignInAnswers.client + [.optional("company", .string, "Short name of the demo (default demo)")]
    return Route(
      .post,
      "/v1/auth/guest",
      Operation(
        "enterDemo",
        tag: "auth",
        "Enter the demo company as a guest, who can only read",
        request: .object(members),
        answers: [Operation.Answer(201, "The session of the guest", SignInAnswers.session)],
        errors: [.notFound]
      ),
      admission: .everybody
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      let client = try answers.client(request, body)
      let slug = try body.optionalText("company") ?? "demo"
      return try answers.answer(
        await Guests(services).open(company: slug, client: client),
        request,
        status: 201
      )
    }
  }

  private var visitor: Route {
    let members = SignInAnswers.client + [.optional("timezone", .string, "IANA time zone (default UTC)")]
    return Route(
      .post,
      "/v1/auth/visitor",
      Operation(
        "becomeVisitor",
        tag: "auth",
        "Begin without an account, in a personal company that a later sign-in claims",
        request: .object(members),
        answers: [Operation.Answer(201, "The session of the visitor", SignInAnswers.session)],
        errors: [.invalidTimeZone]
      ),
      admission: .everybody
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      let client = try answers.client(request, body)
      let zone = try body.optionalText("timezone") ?? "UTC"
      return try answers.answer(
        await Visitors(services).open(timeZone: zone, client: client),
        request,
        status: 201
      )
    }
  }
}
