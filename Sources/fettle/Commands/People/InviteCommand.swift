internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Terminal

struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract: "Manage invites: codes to join a company",
    discussion: """
      A code is shown only once, at creation. Lists show its last characters.

      Examples:
        fettle invite create --role user --company acme --as eva
        fettle invite redeem --email ana@acme.example --name "Ana Berg"
        fettle invite list --company acme
      """,
    subcommands: [Create.self, List.self, Revoke.self, Redeem.self],
    defaultSubcommand: List.self
  )

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create an invite code; it is printed once",
      scope: .company,
      discussion: """
        Members cannot invite to a role that has permissions they lack. A code is
        refused after its creator has lost such a permission or the membership.

        Examples:
          fettle invite create --role user --company acme --as eva
          fettle invite create --role viewer --uses 20 --days 3 --company acme
          fettle invite create --role user --email ana@acme.example --send -c acme
        """
    )
    @Option(
      help: "Role of new members",
      completion: .custom { words, _, _ in await LiveCompletion.roles(words) }
    )
    var role: String
    @Option(help: "Maximum number of uses, 1 to 1000") var uses = 1
    @Option(help: "Days until the code expires, 1 to 365") var days = 14
    @Option(help: ArgumentHelp("Address that can use the code (default: any)", valueName: "address"))
    var email: String?
    @Flag(help: "Mail another code of the invite to the address of --email") var send = false
    @OptionGroup var key: AdministrationOptions
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    /// The answer that a repetition gets.
    private struct Issued: Codable {
      let id: UUID
      let code: String
      let expiresAt: Int64
    }

    func run() async throws {
      try await company.withActingContext { services, acting in
        let request: [String?] = ["invite", role, "\(uses)", "\(days)", email, "\(send)"]
        let issued = try await key.once(services, acting, request) {
          let made = try await Invites(services).create(
            acting,
            role: role,
            uses: uses,
            days: days,
            email: email,
            isMailed: send
          )
          return Issued(id: made.id, code: made.code, expiresAt: made.expiresAt.microseconds)
        }
        let end = Instant(microseconds: issued.expiresAt)
        let bearer = email ?? (uses == 1 ? "one person" : "\(uses) people")
        try output.reveal(
          issued.code,
          as: "code",
          note:
            "for \(bearer), as \(role) in \(acting.company.slug), until \(end.minute); shown this once:",
          [
            (Column("id"), Cell(issued.id)), (Column("company"), .string(acting.company.slug)),
            (Column("role"), .string(role)), (Column("uses", kind: .number), .integer(uses)),
            (Column("email"), .optional(email)),
            (Column("expires_at", kind: .instant), Cell(end)),
          ]
        )
        guard output.isForPeople, !key.dryRun else { return }
        Message.tell("to join with it: the page of the server, or `fettle invite redeem --email ADDRESS`")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List invites and their state",
      scope: .company,
      discussion: "Example: fettle invite list --company acme --where state=active"
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let rows = try await Invites(services).list(acting).map(row)
        try output.print(
          Table(columns: Self.columns, rows: rows),
          forPeople: ["code_end", "role", "state", "used", "uses", "expires_at", "invited_by"]
        )
      }
    }

    private static let columns = [
      Column("id"), Column("code_end", title: "code ends"), Column("role"),
      Column(
        "state",
        kind: .status(["active": .green, "revoked": .red, "expired": .gray, "exhausted": .gray])
      ),
      Column("used", kind: .number), Column("uses", title: "of", kind: .number),
      Column("email"), Column("expires_at", title: "expires", kind: .instant), Column("invited_by"),
      Column("created_at", kind: .instant),
    ]

    private func row(_ listed: Invites.Listed) -> [Cell] {
      let invite = listed.invite
      return [
        Cell(invite.id), .string(invite.hint), .string(invite.role), .string(listed.state),
        .integer(invite.used), .integer(invite.maxUses), .optional(invite.email), Cell(invite.expiresAt),
        .optional(listed.inviter), Cell(invite.createdAt),
      ]
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke an invite",
      scope: .company,
      discussion: """
        Examples:
          fettle invite revoke 2D-W --company acme         end of the code, as in lists
          fettle invite revoke 019a3c7e --company acme     beginning of the id
        """
    )
    @Argument(help: "End of the code, or the id or its beginning") var invite: String
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await key.change(company, output) { services, acting in
        let revoked = try await Invites(services).revoke(acting, invite: invite)
        return ChangeReport(
          "revoked the code \(revoked.hint) for the role \(revoked.role)",
          [(Column("id"), Cell(revoked.id)), (Column("role"), .string(revoked.role))]
        )
      }
    }
  }
}
