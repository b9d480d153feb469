internal import Domain
package import Engine
internal import FoundationEssentials
internal import Secrets
internal import Store

/// Reads the description of the client at sign-in, and turns the result into a cookie or tokens.
package struct SignInAnswers: SignInAnswering {
  private let services: Services
  private let check: CrossSiteCheck

  /// - Parameter check: the origins whose pages may sign people in.
  package init(_ services: Services, check: CrossSiteCheck = CrossSiteCheck()) {
    self.services = services
    self.check = check
  }

  package func members(of step: SignInStep) -> [Schema.Member] {
    Self.client + [
      Self.refresh,
      .optional("company", .string, "Short name of the company to enter (default: the one used last)"),
      .optional(step.inviteMember, .string, "Invite code to redeem first"),
      .optional(
        "visitor",
        .string,
        "Access token of the visitor whose records to claim (default: the cookie)"
      ),
    ]
  }

  /// The members that describe the client.
  static let client: [Schema.Member] = [
    .optional(
      "kind",
      .enumeration(["browser", "mobile"]),
      "`browser` sets a cookie; `mobile` returns tokens (default)"
    ),
    .optional("device_id", .uuid, "Id of the device, chosen by the client"),
    .optional("device_name", .text(maximum: 200), "Name of the device, shown in the list of sessions"),
  ]

  /// The member that says where an app keeps its refresh token.
  static let refresh = Schema.Member.optional(
    "refresh",
    .enumeration(RefreshPlace.allCases.map(\.rawValue)),
    "`cookie` keeps the refresh token in a cookie that scripts cannot read; of `mobile` (default `body`)"
  )

  private enum RefreshPlace: String, CaseIterable { case body, cookie }

  package var results: [Operation.Answer] {
    [
      Operation.Answer(200, "The session", Self.session),
      Operation.Answer(
        202,
        "A second factor is required: present the token with its code",
        .object([
          Schema.Member("step", .enumeration(["second_factor"])), Schema.Member("step_token", .string),
          Schema.Member("expires_in", .integer(minimum: 0)),
        ])
      ),
    ]
  }

  /// The schema of a session.
  static let session = Schema.object([
    Schema.Member("session", .uuid), Schema.Member("user", .uuid),
    Schema.Member("kind", .enumeration(["browser", "mobile", "visitor", "guest"])),
    Schema.Member("company", .object([Schema.Member("slug", .string), Schema.Member("name", .string)])),
    Schema.Member(
      "expires_in",
      .integer(minimum: 0),
      "Seconds until the token must be refreshed, or the session ends"
    ),
    .optional("csrf_token", .string, "For `X-CSRF-Token`; of a session in a cookie"),
    .optional("token_type", .enumeration(["Bearer"])), .optional("access_token", .string),
    .optional("refresh_token", .string),
    .optional(
      "visitor_claimed",
      .boolean,
      "True if the records of the named visitor belong to the account now"
    ),
    .optional("account", .string, "Names the cookie with the refresh token when the tokens are refreshed"),
  ])

  package func choices(_ request: APIRequest, of step: SignInStep) throws -> SignInRequest {
    let body = RequestMembers(try request.json(), longestText: 1_000)
    return SignInRequest(
      client: try client(request, body),
      company: try body.optionalText("company"),
      code: try body.optionalText(step.inviteMember),
      visitor: try body.optionalText("visitor") ?? SessionCookie.value(of: request)
    )
  }

  package func browserChoices(_ request: APIRequest, isApp: Bool) -> SignInRequest {
    SignInRequest(
      client: SignInClient(
        transport: isApp ? .mobile : .browser,
        keepsRefreshInCookie: isApp,
        userAgent: request.headers["user-agent"] ?? "",
        replacedCookie: SessionCookie.value(of: request),
        address: request.address,
        requestID: request.id
      ),
      visitor: SessionCookie.value(of: request)
    )
  }

  /// Returns the client that a body describes. A browser must not be sent here by a page of another site.
  ///
  /// - Throws: `invalid_input`, `cross_site_request`.
  func client(_ request: APIRequest, _ body: RequestMembers) throws -> SignInClient {
    try check.requireNoOtherSite(request)
    let transport = try body.optionalChoice("kind", SignInClient.Transport.self) ?? .mobile
    return SignInClient(
      transport: transport,
      keepsRefreshInCookie: try keepsRefreshInCookie(body, transport),
      deviceID: try body.optionalID("device_id"),
      deviceName: try body.optionalText("device_name") ?? "",
      userAgent: request.headers["user-agent"] ?? "",
      replacedCookie: SessionCookie.value(of: request),
      address: request.address,
      requestID: request.id
    )
  }

  /// Returns true if a body says that the refresh token is kept in a cookie.
  ///
  /// - Throws: `invalid_input` for a client without a refresh token.
  func keepsRefreshInCookie(_ body: RequestMembers, _ transport: SignInClient.Transport) throws -> Bool {
    let place = try body.optionalChoice("refresh", RefreshPlace.self)
    guard place == nil || transport == .mobile else {
      throw DomainError(
        .invalidInput,
        "a browser's session has no refresh token",
        hint: "leave out kind or refresh"
      )
    }
    return place == .cookie
  }

  /// Requires that a request with a cookie comes from a page of this server.
  ///
  /// - Throws: `cross_site_request`.
  func requireOwnPage(_ request: APIRequest) throws { try check.requireOwnPage(request) }

  package func answer(_ result: SignInResult, _ request: APIRequest, spelling: MemberSpelling) throws
    -> APIAnswer
  {
    switch result {
    case .session(let opened): return try answer(opened, request, spelling: spelling)
    case .secondFactor(let token, let seconds):
      let body: JSONObject = [
        "step": "second_factor", "step_token": .string(token), "expires_in": .integer(seconds),
      ]
      return .json(Self.spelled(body, spelling), status: 202)
    }
  }

  package func browserAnswer(_ result: SignInResult, _ request: APIRequest) throws -> APIAnswer {
    var answer = APIAnswer.noContent
    if case .session(let opened) = result {
      answer.headers.add("set-cookie", Self.refreshCookie(opened, request) ?? Self.cookie(opened, request))
    }
    return answer
  }

  /// Returns the answer with a new session: a cookie and a token against forged requests, or tokens.
  ///
  /// - Parameter status: 200, or 201 for a new account.
  func answer(
    _ opened: OpenedSession,
    _ request: APIRequest,
    spelling: MemberSpelling = .snake,
    status: Int = 200
  ) throws -> APIAnswer {
    var body: JSONObject = [
      "session": .string(opened.id.text), "user": .string(opened.user.text),
      "kind": .string(opened.kind.rawValue),
      "company": ["slug": .string(opened.company.slug), "name": .string(opened.company.name)],
      "expires_in": .integer(opened.expiresIn),
    ]
    if opened.hasClaimed { body["visitor_claimed"] = true }
    guard opened.token.carrier == .bearer else {
      let subject = "session \(opened.id.text) 1"
      let key = try services.keys().current(.session)
      body["csrf_token"] = .string(RequestForgeryToken.of(subject, key: key))
      var answer = APIAnswer.json(Self.spelled(body, spelling), status: status)
      answer.headers.add("set-cookie", Self.cookie(opened, request))
      return answer
    }
    body["token_type"] = "Bearer"
    body["access_token"] = .string(opened.token.text)
    let cookie = Self.refreshCookie(opened, request)
    if cookie != nil {
      body["account"] = .string(opened.account)
    } else if let refresh = opened.refresh {
      body["refresh_token"] = .string(refresh.text)
    }
    var answer = APIAnswer.json(Self.spelled(body, spelling), status: status)
    if let cookie { answer.headers.add("set-cookie", cookie) }
    return answer
  }

  /// Returns the field that keeps the refresh token; nil unless the client keeps it in a cookie.
  private static func refreshCookie(_ opened: OpenedSession, _ request: APIRequest) -> String? {
    guard opened.keepsRefreshInCookie, let refresh = opened.refresh else { return nil }
    return RefreshCookie.setting(refresh, account: opened.account, origin: request.origin)
  }

  /// Returns the field that removes the cookie of a caller whose session ends.
  static func removal(of caller: Caller?, _ request: APIRequest) -> String {
    guard let caller, caller.kind == .mobile else { return SessionCookie.removal(origin: request.origin) }
    let account = RefreshCookie.account(company: caller.acting.company.id, user: caller.user)
    return RefreshCookie.removal(account: account, origin: request.origin)
  }

  private static func cookie(_ opened: OpenedSession, _ request: APIRequest) -> String {
    SessionCookie.setting(
      opened.token.text,
      seconds: Int(opened.kind.lifeSeconds),
      origin: request.origin
    )
  }

  private static func spelled(_ body: JSONObject, _ spelling: MemberSpelling) -> JSONObject {
    guard spelling == .camel else { return body }
    return JSONObject(body.members.map { (camel($0.key), $0.value) })
  }

  private static func camel(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.prefix(1).joined()
      + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

extension OpenedSession {
  /// The name of the person in the company, under which an app in a browser refreshes its tokens.
  var account: String { RefreshCookie.account(company: company.id, user: user) }
}
