internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The routes of invite codes.
package struct InviteRoutes: Sendable {
  private let invites: Invites

  package init(_ services: Services) {
    invites = Invites(services)
  }

  package var routes: [Route] { [list, create, revoke] }

  private var list: Route {
    Route(
      .get,
      "/v1/invites",
      Operation(
        "listInvites",
        tag: "invites",
        "List invites, newest first, without their codes",
        parameters: StrictQuery.page,
        answers: [Operation.Answer(200, "A page of invites", ListAnswer.schema(of: Self.schema))]
      )
    ) { request in
      let query = StrictQuery(request)
      let all = try await invites.list(try request.acting())
      return try ListAnswer.slice(all, query, of: request, id: \.invite.id.text) { listed in
        let invite = listed.invite
        return [
          "id": .string(invite.id.text), "code_end": .string(invite.hint), "role": .string(invite.role),
          "state": .string(listed.state), "used": .integer(invite.used), "uses": .integer(invite.maxUses),
          "email": JSONCell.text(invite.email), "expires_at": .string(invite.expiresAt.description),
          "invited_by": JSONCell.text(listed.inviter), "created_at": .string(invite.createdAt.description),
        ]
      }
    }
  }

  private var create: Route {
    Route(
      .post,
      "/v1/invites",
      Operation(
        "createInvite",
        tag: "invites",
        "Create an invite code, which is shown only here",
        request: .object([
          Schema.Member("role", .string),
          .optional("uses", .integer(minimum: 1, maximum: 1_000), "Maximum number of uses (default 1)"),
          .optional("days", .integer(minimum: 1, maximum: 365), "Validity in days (default 14)"),
          .optional("email", .email, "The only address that can use the code (default: any)"),
        ]),
        answers: [
          Operation.Answer(
            201,
            "The invite with its code",
            .object([
              Schema.Member("id", .uuid), Schema.Member("code", .string), Schema.Member("role", .string),
              Schema.Member("uses", .integer(minimum: 1)), Schema.Member("email", .nullable(.string)),
              Schema.Member("expires_at", .time),
            ])
          )
        ],
        errors: [.grantExceedsOwn, .unknownRole]
      )
    ) { request in
      let body = try RequestMembers(request)
      let role = try body.text("role")
      let uses = try body.optionalInteger("uses") ?? 1
      let email = try body.optionalText("email")
      let issued = try await invites.create(
        try request.acting(),
        role: role,
        uses: uses,
        days: try body.optionalInteger("days") ?? 14,
        email: email
      )
      return .json(
        [
          "id": .string(issued.id.text), "code": .string(issued.code), "role": .string(role),
          "uses": .integer(uses), "email": JSONCell.text(email),
          "expires_at": .string(issued.expiresAt.description),
        ],
        status: 201
      )
    }
  }

  private var revoke: Route {
    Route(
      .delete,
      "/v1/invites/{invite}",
      Operation(
        "revokeInvite",
        tag: "invites",
        "Revoke an invite",
        answers: [Operation.Answer(204, "The invite was revoked")],
        errors: [.wrongState]
      )
    ) { request in
      try await invites.revoke(try request.acting(), id: try request.id("invite"))
      return .noContent
    }
  }

  private static let schema = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("code_end", .string), Schema.Member("role", .string),
    Schema.Member("state", .enumeration(["active", "exhausted", "expired", "revoked"])),
    Schema.Member("used", .integer(minimum: 0)), Schema.Member("uses", .integer(minimum: 1)),
    Schema.Member("email", .nullable(.string)), Schema.Member("expires_at", .time),
    Schema.Member("invited_by", .nullable(.string)), Schema.Member("created_at", .time),
  ])
}
