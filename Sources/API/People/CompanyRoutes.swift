internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The routes of the caller's company: settings, entitlements and audit.
package struct CompanyRoutes: Sendable {
  private let companies: Companies
  private let entitlements: Entitlements
  private let trail: AuditTrail

  package init(_ services: Services) {
    companies = Companies(services)
    entitlements = Entitlements(services)
    trail = AuditTrail(services)
  }

  package var routes: [Route] { [show, change, listEntitlements, audit] }

  private var show: Route {
    Route(
      .get,
      "/v1/company",
      Operation(
        "showCompany",
        tag: "company",
        "Show the company",
        answers: [Operation.Answer(200, "The company", Self.schema)]
      )
    ) { request in
      .json(Self.json(try await companies.show(try request.acting())))
    }
  }

  private var change: Route {
    Route(
      .patch,
      "/v1/company",
      Operation(
        "changeCompany",
        tag: "company",
        "Change the name, the time zone, the language or the apps",
        request: .object([
          .optional("name", .string),
          .optional("timezone", .string, "Such as Europe/Stockholm; for later days only"),
          .optional("language", .enumeration(Self.languages), "For people who have not chosen one"),
          .optional(
            "apps",
            .array(of: .string),
            "The apps that the company uses; the others keep their records"
          ),
        ]),
        answers: [Operation.Answer(204, "The company was changed")],
        errors: [.invalidName, .invalidTimeZone, .notFound]
      )
    ) { request in
      let body = try RequestMembers(request)
      let (name, zone) = (try body.optionalText("name"), try body.optionalText("timezone"))
      let language = try body.optionalChoice("language", Language.self)
      let chosen = try body.optionalTexts("apps", most: 100)
      guard name != nil || zone != nil || language != nil || chosen != nil else {
        throw DomainError(.missingFields, "nothing to change", hint: "send name, timezone, language or apps")
      }
      try await companies.describe(
        try request.acting(),
        name: name,
        timeZone: zone,
        language: language,
        apps: chosen
      )
      return .noContent
    }
  }

  private static let languages = Language.allCases.map(\.rawValue)

  private var listEntitlements: Route {
    Route(
      .get,
      "/v1/entitlements",
      Operation(
        "listEntitlements",
        tag: "company",
        "List the entitlements of the company and its members",
        parameters: [Operation.Parameter("past", "true to include expired and revoked ones", .boolean)],
        answers: [Operation.Answer(200, "All entitlements", ListAnswer.schema(of: Self.entitlementSchema))]
      )
    ) { request in
      let past = try StrictQuery(request).flag("past")
      let rows = try await entitlements.list(try request.acting(), includingPast: past)
      return ListAnswer.page(
        rows.map { row in
          [
            "name": .string(row.name), "member": JSONCell.text(row.member), "in_force": .bool(row.isInForce),
            "from": .string(row.validFrom.description), "until": JSONCell.time(row.validUntil),
            "granted_by": .string(row.grantedBy), "revoked_at": JSONCell.time(row.revokedAt),
          ]
        }
      )
    }
  }

  private var audit: Route {
    Route(
      .get,
      "/v1/audit",
      Operation(
        "listAudit",
        tag: "company",
        "List changes of people, roles and settings, and denied attempts, newest first",
        parameters: StrictQuery.page + [
          Operation.Parameter("action", "The only action, such as member.role_changed")
        ],
        answers: [Operation.Answer(200, "A page of entries", ListAnswer.schema(of: Self.auditSchema))]
      )
    ) { request in
      let query = StrictQuery(request)
      let limit = try query.limit()
      let lines = try await trail.newest(
        try request.acting(),
        limit: limit + 1,
        after: try query.text("after").map { try TimePlace(parsing: $0) },
        action: query.text("action")
      )
      let page = lines.prefix(limit)
      let next = lines.count > limit ? page.last.map { TimePlace(at: $0.at, id: $0.id).text } : nil
      return ListAnswer.page(try page.map(Self.json), next: next, of: request)
    }
  }

  private static func json(_ overview: Companies.Overview) -> JSONObject {
    let company = overview.company
    return [
      "id": .string(company.id.text), "slug": .string(company.slug), "name": .string(company.name),
      "kind": .string(company.kind), "timezone": .string(company.timeZone),
      "status": .string(company.status.rawValue), "created_at": .string(company.createdAt.description),
      "members": .integer(overview.members), "administrators": .strings(overview.administrators),
      "open_invites": .integer(overview.openInvites), "apps": .strings(overview.apps),
    ]
  }

  private static func json(_ line: AuditLine) throws -> JSONObject {
    [
      "id": .string(line.id.text), "at": .string(line.at.description), "actor_kind": .string(line.actorKind),
      "actor": .string(line.actor), "on_behalf_of": JSONCell.text(line.onBehalfOf),
      "action": .string(line.action), "subject_type": .string(line.subjectType),
      "subject": .string(line.subject),
      "subject_id": .string(line.subjectID), "detail": try line.detail.value(),
    ]
  }

  private static let schema = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("slug", .string), Schema.Member("name", .string),
    Schema.Member("kind", .string), Schema.Member("timezone", .string), Schema.Member("status", .string),
    Schema.Member("created_at", .time), Schema.Member("members", .integer(minimum: 0)),
    Schema.Member("administrators", .array(of: .string)), Schema.Member("open_invites", .integer(minimum: 0)),
    Schema.Member("apps", .array(of: .string)),
  ])

  private static let entitlementSchema = Schema.object([
    Schema.Member("name", .string), Schema.Member("member", .nullable(.string)),
    Schema.Member("in_force", .boolean), Schema.Member("from", .time),
    Schema.Member("until", .nullable(.time)),
    Schema.Member("granted_by", .string), Schema.Member("revoked_at", .nullable(.time)),
  ])

  private static let auditSchema = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("at", .time), Schema.Member("actor_kind", .string),
    Schema.Member("actor", .string), Schema.Member("on_behalf_of", .nullable(.string)),
    Schema.Member("action", .string), Schema.Member("subject_type", .string),
    Schema.Member("subject", .string),
    Schema.Member("subject_id", .string), Schema.Member("detail", .anyObject),
  ])
}
