internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Postgres
internal import Store
internal import Terminal

struct EntitlementCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entitlement",
    abstract: "Manage entitlements, such as pro",
    discussion: """
      Some record types require an entitlement of the company or the member. Without
      it, their records can be read and deleted, but not created or changed. Only
      operators can grant and revoke entitlements.

      Example: fettle entitlement grant pro --company acme
      """,
    subcommands: [List.self, Grant.self, Revoke.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List entitlements",
      scope: .company,
      discussion: "Example: fettle entitlement list --company acme --all"
    )
    @OptionGroup var options: RecordOptions
    @Flag(help: "Include expired and revoked entitlements") var all = false

    func run() async throws {
      let rows = try await options.company.withActingContext { services, acting in
        try await Entitlements(services).list(acting, includingPast: all)
      }
      try options.output.print(
        Table(
          columns: [
            Column("name"), Column("member"), Column("in_force"), Column("from", kind: .instant),
            Column("until", kind: .instant), Column("granted_by"), Column("revoked_at", kind: .instant),
          ],
          rows: rows.map {
            [
              .string($0.name), .optional($0.member), .bool($0.isInForce), Cell($0.validFrom),
              Cell($0.validUntil),
              .string($0.grantedBy), Cell($0.revokedAt),
            ]
          }
        )
      )
    }
  }

  struct Grant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Grant an entitlement, or change its dates",
      scope: .company,
      discussion: """
        Examples:
          fettle entitlement grant pro --company acme
          fettle entitlement grant pro --member ana -c acme \\
            --until 2027-01-01T00:00:00Z
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Name of the entitlement, such as pro") var name: String
    @Option(help: "Member (default: the whole company)") var member: String?
    @Option(help: ArgumentHelp("Start (default: now)", valueName: "instant")) var from: String?
    @Option(help: ArgumentHelp("End, exclusive (default: none)", valueName: "instant"))
    var until: String?
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      let request = ["entitlement", name, member, from, until]
      let (from, until) = (try from.map(Self.moment), try until.map(Self.moment))
      try await options.company.withActingContext { services, acting in
        _ = try await key.once(services, acting, request) {
          try await Entitlements(services).grant(acting, name: name, to: member, from: from, until: until)
          return name
        }
        try options.output.report(
          "\(member ?? acting.company.slug) has \(name) now",
          [
            (Column("name"), .string(name)), (Column("member"), .optional(member)),
            (Column("until"), Cell(until)),
          ]
        )
      }
    }

    private static func moment(_ text: String) throws -> Instant {
      try Instant(parsing: text)
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke an entitlement; its records stay readable",
      scope: .company,
      discussion: "Example: fettle entitlement revoke pro --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var key: AdministrationOptions
    @Argument(help: "Name of the entitlement") var name: String
    @Option(help: "Member (default: the whole company)") var member: String?

    func run() async throws {
      try await key.change(options.company, options.output) { services, acting in
        try await Entitlements(services).revoke(acting, name: name, from: member)
        return ChangeReport(
          "\(member ?? acting.company.slug) no longer has \(name)",
          [(Column("name"), .string(name)), (Column("member"), .optional(member))]
        )
      }
    }
  }
}
