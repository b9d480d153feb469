internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension CompanyCommand {
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a company and its owner",
      scope: .installation,
      discussion: """
        The time zone determines dates and how worked hours are counted. The owner has
        every permission. Other roles have permissions of the company's apps only.

        Examples:
          fettle company create acme --timezone Europe/Stockholm \\
            --owner eva@acme.example --name "Acme AB" --owner-name "Eva Lindqvist"
          fettle company create home --kind household --owner me@example.com \\
            --app inventory --app macros
        """
    )

    /// The kinds that an operator can create: all but `system`.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
      case business, household, personal, demo
    }

    @Argument(help: "Short name for commands and addresses: a-z, 0-9 and dashes")
    var slug: String

    @Option(help: "Display name (default: the short name)")
    var name: String?

    @Option(help: "Kind of company")
    var kind = Kind.business

    @Option(name: .customLong("timezone"), help: ArgumentHelp("Time zone", valueName: "area/city"))
    var timeZone = "UTC"

    @Option(
      name: .customLong("app"),
      help: ArgumentHelp("App to use, repeatable (default: all, later ones included)", valueName: "app"),
      completion: .custom { _, _, _ in await LiveCompletion.apps() }
    )
    var apps: [String] = []

    @Option(help: ArgumentHelp("E-mail address of the owner", valueName: "email"))
    var owner: String

    @Option(help: ArgumentHelp("Name of the owner (default: the part before the @)", valueName: "name"))
    var ownerName: String?
    @OptionGroup var key: AdministrationOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await connection.withServices { services in
        let actor = Actor.operator(Operator.name)
        let chosen = apps.flatMap { $0.split(separator: ",").map(String.init) }
        let request: [String?] = ["company", slug, name, kind.rawValue, timeZone, owner, ownerName] + chosen
        let taken = try await key.once(services, nil, request) {
          try await Companies(services).create(
            slug: slug,
            name: name ?? slug,
            kind: CompanyKind(rawValue: kind.rawValue) ?? .business,
            timeZone: timeZone,
            apps: chosen.isEmpty ? nil : chosen,
            owner: (email: owner, name: ownerName ?? PersonName.standing(in: owner)),
            actor: actor
          ).company.slug
        }
        guard !key.dryRun else {
          return try output.report(
            "created \(taken), owned by \(owner)",
            [(Column("slug"), .string(taken)), (Column("owner"), .string(owner))]
          )
        }
        let company = try await ActingContexts(services).company(taken)
        let acting = ActingContext(company: company, actor: actor, user: nil)
        try await services.rules.createStartingRecords(in: acting, services, try await Records.open(services))
        try output.report(
          "created \(company.slug) (time zone \(company.timeZone)), owned by \(owner)",
          Array(zip(CompanyCommand.columns, CompanyCommand.row(company)))
            + [(Column("owner"), .string(owner))]
        )
        guard output.isForPeople else { return }
        Message.tell("a link with which the owner chooses a password: `fettle member password-link \(owner)`")
      }
    }
  }
}

/// Derives a person's name from their address.
enum PersonName {
  /// Returns the part of an address before the `@`, or the whole text if that part is empty.
  static func standing(in email: String) -> String {
    let name = email.prefix { $0 != "@" }
    return name.isEmpty ? email : String(name)
  }
}
