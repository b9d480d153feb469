internal import Domain
package import Engine
internal import Store

/// The routes of roles and permissions.
package struct RoleRoutes: Sendable {
  private let roles: Roles

  package init(_ services: Services) {
    roles = Roles(services)
  }

  package var routes: [Route] { [list, permissions, show, create, change, delete] }

  private var list: Route {
    Route(
      .get,
      "/v1/roles",
      Operation(
        "listRoles",
        tag: "roles",
        "List the roles, built-in ones first",
        answers: [Operation.Answer(200, "All roles", ListAnswer.schema(of: Self.schema))]
      )
    ) { request in
      _ = try StrictQuery(request)
      return ListAnswer.page(try await roles.list(try request.acting()).map(Self.json))
    }
  }

  private var permissions: Route {
    Route(
      .get,
      "/v1/roles/permissions",
      Operation(
        "listPermissions",
        tag: "roles",
        "List all permissions",
        answers: [Operation.Answer(200, "All permissions", ListAnswer.schema(of: Self.permissionSchema))]
      )
    ) { request in
      _ = try StrictQuery(request)
      return ListAnswer.page(try await roles.catalogue(try request.acting()).map(Self.json))
    }
  }

  private var show: Route {
    Route(
      .get,
      "/v1/roles/{role}",
      Operation(
        "showRole",
        tag: "roles",
        "Show a role with its permissions",
        answers: [Operation.Answer(200, "The role", Self.schema)],
        errors: [.unknownRole]
      )
    ) { request in
      _ = try StrictQuery(request)
      return .json(try await role(try request.parameter("role"), request))
    }
  }

  private var create: Route {
    Route(
      .post,
      "/v1/roles",
      Operation(
        "createRole",
        tag: "roles",
        "Create a role",
        request: .object([Schema.Member("role", .string, "A lower-case word")] + Self.changes),
        answers: [Operation.Answer(201, "The new role", Self.schema)],
        errors: [.alreadyExists, .grantExceedsOwn, .notGrantable, .unknownPermission, .unknownRole]
      )
    ) { request in
      let body = try StrictBody(request, ["role", "label", "from", "permissions"])
      let name = try body.text("role")
      try await define(name, body, request, isNew: true)
      return .json(try await role(name, request), status: 201)
    }
  }

  private var change: Route {
    Route(
      .patch,
      "/v1/roles/{role}",
      Operation(
        "changeRole",
        tag: "roles",
        "Replace the permissions of a role",
        request: .object(Self.changes),
        answers: [Operation.Answer(200, "The changed role", Self.schema)],
        errors: [.grantExceedsOwn, .notGrantable, .unknownPermission, .unknownRole]
      )
    ) { request in
      let body = try StrictBody(request, ["label", "from", "permissions"])
      let name = try request.parameter("role")
      try await define(name, body, request, isNew: false)
      return .json(try await role(name, request))
    }
  }

  private var delete: Route {
    Route(
      .delete,
      "/v1/roles/{role}",
      Operation(
        "deleteRole",
        tag: "roles",
        "Delete a role that was never assigned",
        answers: [Operation.Answer(204, "The role was deleted")],
        errors: [.stillReferenced, .unknownRole]
      )
    ) { request in
      try await roles.delete(try request.acting(), name: try request.parameter("role"))
      return .noContent
    }
  }

  private func define(_ name: String, _ body: StrictBody, _ request: APIRequest, isNew: Bool) async throws {
    let (from, names) = (try body.optionalText("from"), try body.texts("permissions"))
    guard from != nil || names != nil else {
      throw DomainError(
        .missingFields,
        "the role has no permissions",
        hint: "send permissions, or from with the name of a role",
        details: ["fields": ["permissions"]]
      )
    }
    try await roles.define(
      try request.acting(),
      name: name,
      label: try body.optionalText("label"),
      from: from,
      permissions: names ?? [],
      isNew: isNew
    )
  }

  private func role(_ name: String, _ request: APIRequest) async throws -> JSONObject {
    Self.json(try await roles.find(try request.acting(), name: name))
  }

  private static func json(_ role: RoleRow) -> JSONObject {
    [
      "role": .string(role.name), "label": .string(role.label), "built_in": .bool(role.isBuiltIn),
      "members": .integer(role.members), "permissions": .strings(role.permissions),
    ]
  }

  private static func json(_ entry: PermissionCatalogue.Entry) -> JSONObject {
    [
      "permission": .string(entry.permission.name), "subject": .string(entry.permission.subject),
      "description": .string(entry.summary), "grantable": .bool(entry.isGrantable),
    ]
  }

  private static let changes = [
    Schema.Member.optional("label", .nullable(.string), "Name for people (default: the name of the role)"),
    Schema.Member.optional("from", .nullable(.string), "Role whose grantable permissions are added"),
    Schema.Member.optional("permissions", .array(of: .string), "Names of permissions"),
  ]

  private static let schema = Schema.object([
    Schema.Member("role", .string), Schema.Member("label", .string), Schema.Member("built_in", .boolean),
    Schema.Member("members", .integer(minimum: 0)), Schema.Member("permissions", .array(of: .string)),
  ])

  private static let permissionSchema = Schema.object([
    Schema.Member("permission", .string), Schema.Member("subject", .string),
    Schema.Member("description", .string), Schema.Member("grantable", .boolean),
  ])
}
