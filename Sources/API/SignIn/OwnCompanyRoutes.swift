internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The routes of the caller's companies: list, switch, join, create, leave and hand over.
package struct OwnCompanyRoutes: Sendable {
  private let own: OwnCompanies
  private let answers: SignInAnswers

  package init(_ services: Services, answers: SignInAnswers) {
    own = OwnCompanies(services)
    self.answers = answers
  }

  package var routes: [Route] { [list, add, enter, leave, handOver] }

  private static let company = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("slug", .string), Schema.Member("name", .string),
    Schema.Member("kind", .string), Schema.Member("status", .string), Schema.Member("timezone", .string),
    Schema.Member("role", .string), Schema.Member("joined_at", .time), .optional("last_seen_at", .time),
    Schema.Member("current", .boolean),
  ])

  private var list: Route {
    Route(
      .get,
      "/v1/me/companies",
      Operation(
        "listOwnCompanies",
        tag: "me",
        "List the companies of the caller",
        answers: [
          Operation.Answer(
            200,
            "The companies, by short name",
            .object([Schema.Member("items", .array(of: Self.company))])
          )
        ]
      ),
      admission: .person
    ) { request in
      let acting = try request.acting()
      let items = try await own.list(acting).map { row -> JSONValue in
        var item: JSONObject = [
          "id": .string(row.id.text), "slug": .string(row.slug), "name": .string(row.name),
          "kind": .string(row.kind), "status": .string(row.status.rawValue),
          "timezone": .string(row.timeZone),
          "role": .string(row.role), "joined_at": .string(row.joinedAt.rfc3339),
        ]
        if let seen = row.lastSeenAt { item["last_seen_at"] = .string(seen.rfc3339) }
        item["current"] = .bool(row.id == acting.company.id)
        return .object(item)
      }
      return .json(["items": .array(items)])
    }
  }

  private var add: Route {
    Route(
      .post,
      "/v1/me/companies",
      Operation(
        "addOwnCompany",
        tag: "me",
        "Join a company by invite code, or create one",
        request: .object([
          .optional("code", .string, "Invite code of a company to join"),
          .optional("name", .text(maximum: 200), "Name of a company to create"),
          .optional("slug", .string, "Short name (default: derived from the name)"),
          .optional("kind", .enumeration(["business", "household", "personal"]), "Kind (default business)"),
          .optional("timezone", .string, "IANA time zone (default UTC)"),
        ]),
        answers: [
          Operation.Answer(201, "The company", .object([Schema.Member("slug", .string)]))
        ],
        errors: [
          .inviteRefused, .invalidInviteCode, .alreadyExists, .invalidName, .invalidSlug, .invalidTimeZone,
          .signUpRequired,
        ]
      ),
      admission: .person
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      let acting = try request.acting()
      if let code = try body.optionalText("code") {
        guard try request.json().count == 1 else {
          throw DomainError(.invalidInput, "send a code or a company, not both")
        }
        let slug = try await own.join(acting, code: code, client: Self.client(request))
        return .json(["slug": .string(slug)], status: 201)
      }
      let created = try await own.create(acting, SignInRoutes.newCompany(request.json()))
      return .json(["slug": .string(created.slug)], status: 201)
    }
  }

  private var enter: Route {
    Route(
      .post,
      "/v1/me/company",
      Operation(
        "enterCompany",
        tag: "me",
        "Move the session to another company of the caller",
        request: .object([
          Schema.Member("company", .string, "Short name of the company"), SignInAnswers.refresh,
        ]),
        answers: [Operation.Answer(200, "The session there", SignInAnswers.session)],
        errors: [.notFound]
      ),
      admission: .person
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      let transport = Self.transport(request)
      let opened = try await own.enter(
        request.acting(),
        company: try body.text("company"),
        client: Self.client(
          request,
          keepsRefreshInCookie: try answers.keepsRefreshInCookie(body, transport)
        )
      )
      return try answers.answer(opened, request)
    }
  }

  private var leave: Route {
    Route(
      .post,
      "/v1/me/leave",
      Operation(
        "leaveCompany",
        tag: "me",
        "Leave the company; the session ends",
        answers: [Operation.Answer(204, "Left")],
        errors: [.lastOwner, .lastAdministrator]
      ),
      admission: .person
    ) { request in
      try await own.leave(request.acting())
      var answer = APIAnswer.noContent
      if let caller = request.caller, [.browser, .mobile].contains(caller.kind) {
        answer.headers.add("set-cookie", SignInAnswers.removal(of: caller, request))
      }
      return answer
    }
  }

  private var handOver: Route {
    Route(
      .post,
      "/v1/me/hand-over",
      Operation(
        "handOverCompany",
        tag: "me",
        "Hand the company over to another member",
        request: .object([
          Schema.Member("to", .string, "E-mail address of the new owner"),
          .optional("role", .string, "Role that the caller keeps (default admin)"),
        ]),
        answers: [
          Operation.Answer(200, "The new session of a browser", SignInAnswers.session),
          Operation.Answer(204, "Handed over; refresh the tokens"),
        ],
        errors: [.forbidden, .wrongState, .notFound, .unknownRole]
      ),
      admission: .recentSignIn
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      let opened = try await own.handOver(
        request.acting(),
        to: try body.text("to"),
        keeping: try body.optionalText("role") ?? "admin",
        client: Self.client(request)
      )
      guard let opened else { return .noContent }
      return try answers.answer(opened, request)
    }
  }

  /// Returns the client of a session that continues.
  private static func client(_ request: APIRequest, keepsRefreshInCookie: Bool = false) -> SignInClient {
    SignInClient(
      transport: transport(request),
      keepsRefreshInCookie: keepsRefreshInCookie,
      userAgent: request.headers["user-agent"] ?? "",
      address: request.address,
      requestID: request.id
    )
  }

  private static func transport(_ request: APIRequest) -> SignInClient.Transport {
    request.caller?.kind == .mobile ? .mobile : .browser
  }
}
