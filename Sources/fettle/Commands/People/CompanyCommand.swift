internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct CompanyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "company",
    abstract: "Manage the companies of this installation",
    discussion: """
      Each company has its own members, roles and records, invisible to all others.

      Examples:
        fettle company create acme --timezone Europe/Stockholm --owner eva@acme.se
        fettle company list
        fettle company show acme
      """,
    subcommands: [
      Create.self, List.self, Show.self, Transfer.self, Suspend.self, Archive.self, Activate.self,
      Export.self,
      Import.self, Erase.self, Quota.self, Numbers.self, Settings.self,
    ]
  )

  static let columns = [
    Column("slug"), Column("name"), Column("kind"), Column("timezone", title: "time zone"),
    Column("status", kind: .status(["active": .green, "suspended": .yellow, "archived": .gray])),
    Column("created_at", title: "created", kind: .instant), Column("id"),
  ]

  static func row(_ company: CompanyRow) -> [Cell] {
    [
      .string(company.slug), .string(company.name), .string(company.kind), .string(company.timeZone),
      .string(company.status.rawValue), Cell(company.createdAt), Cell(company.id),
    ]
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the companies",
      scope: .installation,
      discussion: """
        Examples:
          fettle company list
          fettle company list --where status=active --output csv
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await connection.withServices { services in
        let companies = try await Companies(services).list()
        try output.print(
          Table(columns: columns, rows: companies.map(row)),
          forPeople: ["slug", "name", "kind", "timezone", "status"]
        )
      }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a company, its administrators and its apps",
      scope: .namedCompany,
      discussion: "Example: fettle company show acme --output json"
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withAnyContext { services, acting in
        let overview = try await Companies(services).show(acting)
        try output.printRecord(
          Array(zip(columns, row(overview.company))) + [
            (Column("members", kind: .number), .integer(overview.members)),
            (Column("administrators"), .list(overview.administrators.map { .string($0) })),
            (Column("open_invites", kind: .number), .integer(overview.openInvites)),
            (Column("apps"), .list(overview.apps.map { .string($0) })),
          ]
        )
      }
    }
  }
}
