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
      ListAnswer.page(try await roles.list(try request.acting()).map(Self.json))
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
      ListAnswer.page(try await roles.catalogue(try request.acting()).map(Self.json))
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
      .json(Self.json(try await roles.find(try request.acting(), name: try request.parameter("role"))))
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
      let body = try RequestMembers(request)
      let (from, names) = try Self.permissions(body)
      let row = try await roles.create(
        try request.acting(),
        name: try body.text("role"),
        label: try body.optionalText("label"),
        from: from,
        permissions: names
      )
      return .json(Self.json(row), status: 201)
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
      let body = try RequestMembers(request)
      let (from, names) = try Self.permissions(body)
      let row = try await roles.replace(
        try request.acting(),
        name: try request.parameter("role"),
        label: try body.optionalText("label"),
        from: from,
        permissions: names
      )
      return .json(Self.json(row))
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

  /// Returns the role to copy from and the permissions of a body.
  private static func permissions(_ body: RequestMembers) throws -> (from: String?, names: [String]) {
    let (from, names) = (try body.optionalText("from"), try body.optionalTexts("permissions"))
    guard from != nil || names != nil else {
      throw DomainError(
        .missingFields,
        "the role has no permissions",
        hint: "send permissions, or from with the name of a role",
        details: ["fields": ["permissions"]]
      )
    }
    return (from, names ?? [])
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
