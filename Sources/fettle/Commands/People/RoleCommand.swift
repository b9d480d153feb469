internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct RoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "role",
    abstract: "Manage roles and their permissions",
    discussion: """
      Every company has the roles owner, admin, user, viewer and service; demo
      companies also have guest. Custom roles can contain every grantable permission.

      Examples:
        fettle role list --company acme
        fettle role show user --company acme
        fettle role define foreman --from user --permission member.suspend -c acme
      """,
    subcommands: [List.self, Show.self, Define.self, Delete.self, Permissions.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List roles",
      scope: .company,
      discussion: "Example: fettle role list --company acme --where built_in=false"
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let roles = try await Roles(services).list(acting)
        try output.print(
          Table(
            columns: [
              Column("role"), Column("label"), Column("built_in"), Column("members", kind: .number),
              Column("permission_count", title: "permissions", kind: .number), Column("permissions"),
            ],
            rows: roles.map { role in
              [
                .string(role.name), .string(role.label), .bool(role.isBuiltIn), .integer(role.members),
                .integer(role.permissions.count), .list(role.permissions.map { .string($0) }),
              ]
            }
          ),
          forPeople: ["role", "label", "built_in", "members", "permission_count"]
        )
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the permissions of a role",
      scope: .company,
      discussion: "Example: fettle role show user --company acme"
    )
    @Argument(
      help: "Name of the role",
      completion: .custom { words, _, _ in await LiveCompletion.roles(words) }
    )
    var role: String
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        try output.print(
          PermissionTable.table(try await Roles(services).show(acting, name: role)),
          forPeople: ["permission", "description"]
        )
      }
    }
  }

  struct Permissions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all permissions",
      scope: .installation,
      discussion: """
        Permissions of the engine are written noun.verb, those of apps app.type.verb. A
        trailing .own limits a permission to the member's own records.

        Examples:
          fettle role permissions
          fettle role permissions --where subject=maintenance.entry
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await connection.withServices { services in
        try output.print(
          PermissionTable.table(try await Roles(services).catalogue()),
          forPeople: ["permission", "description", "grantable"]
        )
      }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a custom role that was never assigned",
      scope: .company,
      discussion: "Example: fettle role delete foreman --company acme"
    )
    @Argument(
      help: "Name of the role",
      completion: .custom { words, _, _ in await LiveCompletion.roles(words) }
    )
    var role: String
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await key.change(company, output) { services, acting in
        try await Roles(services).delete(acting, name: role)
        return ChangeReport("deleted the role \(role)", [(Column("role"), .string(role))])
      }
    }
  }
}

/// Formats permissions as a table.
enum PermissionTable {
  static func table(_ entries: [PermissionCatalogue.Entry]) -> Table {
    Table(
      columns: [
        Column("permission", kind: .status([:])), Column("subject"), Column("description"),
        Column("grantable"),
      ],
      rows: entries.map { entry in
        [
          .string(entry.permission.name), .string(entry.permission.subject),
          .string(entry.summary.prefix(1).uppercased() + entry.summary.dropFirst()), .bool(entry.isGrantable),
        ]
      }
    )
  }
}
