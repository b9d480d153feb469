internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct MemberCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "member",
    abstract: "Manage the members of a company and their roles",
    discussion: """
      Name a member by their e-mail address, or by the part before its @. People set up a
      second factor themselves, with `POST /v1/me/totp` of the API.

      Examples:
        fettle member list --company acme
        fettle member add ana@acme.example --name "Ana Berg" --role user -c acme
        fettle member role ana admin --company acme --as eva
      """,
    subcommands: [
      List.self, Add.self, Update.self, SetRole.self, Suspend.self, Reinstate.self, Remove.self, Search.self,
      Disable.self, Enable.self, RemoveSecondFactor.self, PasswordLink.self,
    ],
    defaultSubcommand: List.self
  )

  static let columns = [
    Column("email"), Column("name"), Column("role"),
    Column(
      "status",
      kind: .status(["active": .green, "suspended": .yellow, "removed": .gray, "disabled": .red])
    ),
    Column("member_since", kind: .instant), Column("id"),
  ]

  static func row(_ member: MemberRow) -> [Cell] {
    [
      .string(member.email), .string(member.name), .string(member.role),
      .string(member.isDisabled ? "disabled" : member.status.rawValue),
      Cell(member.since), Cell(member.userID),
    ]
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the members",
      scope: .company,
      discussion: """
        Examples:
          fettle member list --company acme
          fettle member list --company acme --search berg
          fettle member list --company acme --where role=admin --output json
        """
    )
    @Flag(help: "Include removed members") var all = false
    @Option(help: ArgumentHelp("Part of the name or of the address", valueName: "text")) var search: String?
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let members = try await Members(services).list(acting, includingRemoved: all, search: search)
        try output.print(
          Table(columns: columns, rows: members.map(row)),
          forPeople: ["email", "name", "role", "status"]
        )
      }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a member without an invite code",
      scope: .company,
      discussion: """
        To let people join by themselves, create a code with `fettle invite create`.

        Example:
          fettle member add ana@acme.example --name "Ana Berg" --role user -c acme
        """
    )
    @Argument(help: "E-mail address of the member") var email: String
    @Option(help: "Name of a person without an account (default: the part before the @)") var name: String?
    @Option(
      help: "Role of the member",
      completion: .custom { words, _, _ in await LiveCompletion.roles(words) }
    )
    var role: String
    @OptionGroup var key: AdministrationOptions
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let members = Members(services)
        var added: MemberRow?
        let user = try await key.once(services, acting, ["member", email, name, role]) {
          let row = try await members.add(
            acting,
            email: email,
            name: name ?? PersonName.standing(in: email),
            role: role
          )
          added = row
          return row.userID
        }
        let member = if let added { added } else { try await members.show(acting, user: user) }
        try output.report(
          "\(member.email) is \(member.role) in \(acting.company.slug) now",
          Array(zip(columns, row(member)))
        )
      }
    }
  }
}
