internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
package import Secrets
internal import Store

/// The routes of the signed-in person: account, password and sessions.
package struct OwnAccountRoutes: Sendable {
  private let services: Services
  private let passwords: PasswordSignIn

  /// - Parameter hasher: the process-wide pool of the expensive hashes.
  package init(_ services: Services, hasher: PasswordHasher) {
    self.services = services
    passwords = PasswordSignIn(services, hasher: hasher)
  }

  package var routes: [Route] { [show, rename, changePassword, sessions, endSession, endSessions] }

  private static let me = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("email", .string), Schema.Member("name", .string),
    Schema.Member("kind", .enumeration(["person", "service", "visitor"])),
    .optional("email_verified_at", .time),
    Schema.Member(
      "company",
      .object([
        Schema.Member("id", .uuid), Schema.Member("slug", .string), Schema.Member("name", .string),
        Schema.Member("status", .string), Schema.Member("timezone", .string),
      ])
    ),
    Schema.Member("role", .string), Schema.Member("permissions", .array(of: .string)),
    Schema.Member("credential", .enumeration(Caller.Kind.allCases.map(\.rawValue))),
    .optional("session", .uuid),
    Schema.Member(
      "recent_sign_in",
      .boolean,
      "True if the person proved who they are in the last 15 minutes"
    ),
    .optional("csrf_token", .string, "For `X-CSRF-Token`"),
  ])

  private var show: Route {
    Route(
      .get,
      "/v1/me",
      Operation(
        "showMe",
        tag: "me",
        "Show the account, the company and the permissions of the caller",
        answers: [Operation.Answer(200, "The caller", Self.me)]
      )
    ) { request in try await overview(request) }
  }

  private func overview(_ request: APIRequest) async throws -> APIAnswer {
    guard let caller = request.caller else { throw DomainError(.unauthenticated) }
    let own = try await OwnAccount(services).show(caller.acting)
    let company = caller.acting.company
    var body: JSONObject = [
      "id": .string(own.id.text), "email": .string(own.email), "name": .string(own.name),
      "kind": .string(own.kind),
    ]
    if let verified = own.emailVerifiedAt { body["email_verified_at"] = .string(verified.rfc3339) }
    body["company"] = [
      "id": .string(company.id.text), "slug": .string(company.slug), "name": .string(company.name),
      "status": .string(own.companyStatus.rawValue), "timezone": .string(company.timeZone),
    ]
    body["role"] = .string(own.role)
    body["permissions"] = .strings(own.permissions)
    body["credential"] = .string(caller.kind.rawValue)
    if let session = caller.session { body["session"] = .string(session.text) }
    body["recent_sign_in"] = .bool(caller.isStrong)
    if caller.kind != .token {
      let key = try services.keys().current(.session)
      body["csrf_token"] = .string(RequestForgeryToken.of(caller.subject, key: key))
    }
    return .json(body)
  }

  private var rename: Route {
    Route(
      .patch,
      "/v1/me",
      Operation(
        "changeMe",
        tag: "me",
        "Change the name of the caller",
        request: .object([Schema.Member("name", .text(maximum: 200))]),
        answers: [Operation.Answer(200, "The caller", Self.me)],
        errors: [.invalidName]
      ),
      admission: .person
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      try await OwnAccount(services).rename(request.acting(), to: try body.text("name"))
      return try await overview(request)
    }
  }

  private var changePassword: Route {
    Route(
      .post,
      "/v1/me/password",
      Operation(
        "changePassword",
        tag: "me",
        "Change the password, and end all other sessions",
        request: .object([
          Schema.Member("current", .string),
          Schema.Member("new", .string, "12 to 128 characters, not easy to guess"),
        ]),
        answers: [Operation.Answer(204, "Changed")],
        errors: [.signInRefused, .invalidPassword, .unavailable]
      ),
      admission: .person
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      try await passwords.change(
        request.acting(),
        current: try body.text("current"),
        new: try body.text("new")
      )
      return .noContent
    }
  }

  private static let session = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("company", .string),
    Schema.Member("kind", .enumeration(["browser", "mobile", "visitor", "guest"])),
    .optional("device_id", .uuid), Schema.Member("device_name", .string),
    Schema.Member("user_agent", .string),
    Schema.Member("created_at", .time), Schema.Member("last_seen_at", .time),
    Schema.Member("expires_at", .time),
    Schema.Member("current", .boolean),
  ])

  private var sessions: Route {
    Route(
      .get,
      "/v1/me/sessions",
      Operation(
        "listSessions",
        tag: "me",
        "List the open sessions of the caller in all companies",
        answers: [
          Operation.Answer(
            200,
            "The sessions, the latest used first",
            .object([Schema.Member("items", .array(of: Self.session))])
          )
        ]
      ),
      admission: .person
    ) { request in
      let rows = try await Sessions(services).list(request.acting())
      let items = rows.map { row -> JSONValue in
        var item: JSONObject = [
          "id": .string(row.id.text), "company": .string(row.company), "kind": .string(row.kind),
        ]
        if let device = row.deviceID { item["device_id"] = .string(device.text) }
        item["device_name"] = .string(row.deviceName)
        item["user_agent"] = .string(row.userAgent)
        item["created_at"] = .string(row.createdAt.rfc3339)
        item["last_seen_at"] = .string(row.lastSeenAt.rfc3339)
        item["expires_at"] = .string(row.expiresAt.rfc3339)
        item["current"] = .bool(row.id == request.caller?.session)
        return .object(item)
      }
      return .json(["items": .array(items)])
    }
  }

  private var endSession: Route {
    Route(
      .delete,
      "/v1/me/sessions/{session}",
      Operation(
        "endSession",
        tag: "me",
        "End one session of the caller",
        answers: [Operation.Answer(204, "Ended")],
        errors: [.notFound]
      ),
      admission: .person
    ) { request in
      try await Sessions(services).end(request.acting(), session: try request.id("session"))
      return .noContent
    }
  }

  private var endSessions: Route {
    Route(
      .delete,
      "/v1/me/sessions",
      Operation(
        "endOtherSessions",
        tag: "me",
        "End all other sessions of the caller",
        answers: [
          Operation.Answer(
            200,
            "The number of sessions ended",
            .object([Schema.Member("ended", .integer(minimum: 0))])
          )
        ]
      ),
      admission: .person
    ) { request in
      .json(["ended": .integer(try await Sessions(services).endOthers(request.acting()))])
    }
  }
}
