internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Terminal

struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Manage API tokens",
    discussion: """
      A token opens the HTTP API for a program. It has those permissions in its
      scopes that its owner holds when the token is used. The token is shown only
      once, at creation.

      Examples:
        fettle token create fleet --scope maintenance.machine.read --as ana -c acme
        fettle token list --company acme
      """,
    subcommands: [Create.self, List.self, Revoke.self],
    defaultSubcommand: List.self
  )

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a token; it is printed once",
      scope: .company,
      discussion: """
        Prints only the token to stdout, so that it can be piped to another program.

        Examples:
          fettle token create report --scope report.read --as ana --company acme
          fettle token create ci --for bot --scope maintenance.entry.create -c acme
        """
    )
    @Argument(help: "Name of the token") var name: String
    @Option(
      name: .customLong("scope"),
      help: ArgumentHelp(
        "Permission, or several separated by commas; repeatable",
        valueName: "name"
      ),
      completion: .custom { _, _, _ in await LiveCompletion.permissions() }
    )
    var scopes: [String]
    @Option(
      name: .customLong("for"),
      help: ArgumentHelp(
        "Owner, whose permissions limit the token (default: the member of --as)",
        valueName: "member"
      ),
      completion: .custom { words, _, _ in await LiveCompletion.members(words) }
    )
    var owner: String?
    @Option(help: "Days until the token expires, 1 to 3650") var days = 90
    @Flag(help: "Create a token without expiry") var neverExpires = false
    @OptionGroup var key: AdministrationOptions
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    /// The answer that a repetition gets.
    private struct Issued: Codable {
      let id: UUID
      let text: String
      let owner: String
      let expiresAt: Int64?
    }

    func run() async throws {
      let names = scopes.flatMap { $0.split(separator: ",").map(String.init) }
      try await company.withActingContext { services, acting in
        let lifetime = neverExpires ? nil : days
        let request: [String?] = [
          "token", owner, name, names.joined(separator: ","), lifetime.map { "\($0)" },
        ]
        let issued = try await key.once(services, acting, request) {
          let made = try await Tokens(services).create(
            acting,
            owner: owner,
            name: name,
            scopes: names,
            days: lifetime
          )
          return Issued(
            id: made.id,
            text: made.text,
            owner: made.owner,
            expiresAt: made.expiresAt?.microseconds
          )
        }
        let expiry = issued.expiresAt.map { Instant(microseconds: $0) }
        let end = expiry.map { "until \($0.minute)" } ?? "until it is revoked"
        try output.reveal(
          issued.text,
          as: "token",
          note: "for \(issued.owner) in \(acting.company.slug), \(end); shown this once:",
          [
            (Column("id"), Cell(issued.id)), (Column("name"), .string(name)),
            (Column("owner"), .string(issued.owner)),
            (Column("scopes"), .list(names.map { .string($0) })),
            (Column("expires_at", kind: .instant), Cell(expiry)),
          ]
        )
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List tokens, without their secrets",
      scope: .company,
      discussion: "Example: fettle token list --company acme --sort last_used_at"
    )
    @Flag(help: "Include revoked tokens") var all = false
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let tokens = try await Tokens(services).list(acting).filter { all || $0.revokedAt == nil }
        try output.print(
          Table(
            columns: [
              Column("id"), Column("name"), Column("owner"), Column("scopes"),
              Column("expires_at", title: "expires", kind: .instant),
              Column("last_used_at", title: "last used", kind: .instant),
              Column("revoked_at", title: "revoked", kind: .instant), Column("created_at", kind: .instant),
            ],
            rows: tokens.map { token in
              [
                Cell(token.id), .string(token.name), .string(token.owner),
                .list(token.scopes.map { .string($0) }), Cell(token.expiresAt), Cell(token.lastUsedAt),
                Cell(token.revokedAt), Cell(token.createdAt),
              ]
            }
          ),
          forPeople: ["name", "owner", "scopes", "expires_at", "last_used_at"] + (all ? ["revoked_at"] : [])
        )
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a token",
      scope: .company,
      discussion: "Example: fettle token revoke fleet --company acme"
    )
    @Argument(help: "Name of the token, or its id or the beginning of it") var token: String
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await key.change(company, output) { services, acting in
        let ended = try await Tokens(services).revoke(acting, token: token)
        return ChangeReport(
          "revoked the token \(ended.name) of \(ended.owner)",
          [
            (Column("id"), Cell(ended.id)), (Column("name"), .string(ended.name)),
            (Column("owner"), .string(ended.owner)),
          ]
        )
      }
    }
  }
}
