internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The routes of a company's members. A member is named by the id of the person.
package struct MemberRoutes: Sendable {
  private let members: Members

  package init(_ services: Services) {
    members = Members(services)
  }

  package var routes: [Route] { [list, show, change, suspend, resume, remove] }

  private var list: Route {
    Route(
      .get,
      "/v1/members",
      Operation(
        "listMembers",
        tag: "members",
        "List the members by name",
        parameters: StrictQuery.page + [
          Operation.Parameter("search", "Part of the name or the address"),
          Operation.Parameter("removed", "true to include removed members", .boolean),
          Operation.Parameter("fields", "Members of each item to return, such as id,name (default: all)"),
        ],
        answers: [
          Operation.Answer(200, "A page of members", ListAnswer.schema(of: Self.selected)),
          Operation.Answer(304, "The client has the page"),
        ]
      )
    ) { request in
      let query = StrictQuery(request)
      let fields = try query.fields(among: Self.members.map(\.name))
      let all = try await members.list(
        try request.acting(),
        includingRemoved: try query.flag("removed"),
        search: query.text("search")
      )
      let page = try ListAnswer.slice(all, query, of: request, id: \.userID.text) { member in
        let json = Self.json(member)
        return fields.map { names in JSONObject(names.map { ($0, json[$0] ?? .null) }) } ?? json
      }
      return DigestTag.answer(page, site: "members", to: request)
    }
  }

  private var show: Route {
    Route(
      .get,
      "/v1/members/{member}",
      Operation(
        "showMember",
        tag: "members",
        "Show a member",
        answers: [Operation.Answer(200, "The member", Self.schema)]
      )
    ) { request in
      .json(Self.json(try await members.show(try request.acting(), user: try request.id("member"))))
    }
  }

  private var change: Route {
    Route(
      .patch,
      "/v1/members/{member}",
      Operation(
        "changeMember",
        tag: "members",
        "Change the role of a member",
        request: .object([Schema.Member("role", .string)]),
        answers: [Operation.Answer(200, "The changed member", Self.schema)],
        errors: [.grantExceedsOwn, .memberOutranks, .lastOwner, .unknownRole, .wrongState]
      )
    ) { request in
      let role = try RequestMembers(request).text("role")
      let user = try request.id("member")
      return .json(Self.json(try await members.setRole(try request.acting(), user: user, role: role)))
    }
  }

  private var suspend: Route {
    status("suspend", .suspended, "suspendMember", "Suspend a member; their sessions and tokens end")
  }

  private var resume: Route { status("resume", .active, "resumeMember", "Resume a suspended member") }

  private func status(_ verb: String, _ status: MemberStatus, _ id: String, _ summary: String) -> Route {
    Route(
      .post,
      "/v1/members/{member}/\(verb)",
      Operation(
        id,
        tag: "members",
        summary,
        answers: [Operation.Answer(200, "The changed member", Self.schema)],
        errors: [.memberOutranks, .lastOwner, .wrongState]
      )
    ) { request in
      let user = try request.id("member")
      return .json(Self.json(try await members.setStatus(try request.acting(), user: user, status: status)))
    }
  }

  private var remove: Route {
    Route(
      .delete,
      "/v1/members/{member}",
      Operation(
        "removeMember",
        tag: "members",
        "Remove a member, or leave the company",
        answers: [Operation.Answer(204, "The member was removed")],
        errors: [.memberOutranks, .lastOwner, .wrongState]
      )
    ) { request in
      try await members.setStatus(try request.acting(), user: try request.id("member"), status: .removed)
      return .noContent
    }
  }

  private static func json(_ member: MemberRow) -> JSONObject {
    [
      "id": .string(member.userID.text), "email": .string(member.email), "name": .string(member.name),
      "role": .string(member.role),
      "status": .string(member.isDisabled ? "disabled" : member.status.rawValue),
      "member_since": .string(member.since.description),
    ]
  }

  private static let members = [
    Schema.Member("id", .uuid), Schema.Member("email", .email), Schema.Member("name", .string),
    Schema.Member("role", .string),
    Schema.Member("status", .enumeration(["active", "suspended", "removed", "disabled"])),
    Schema.Member("member_since", .time),
  ]

  private static let schema = Schema.object(members)

  /// A member of whom a client may have asked for less.
  private static let selected = Schema.object(
    members.map { $0.name == "id" ? $0 : .optional($0.name, $0.schema) }
  )
}
