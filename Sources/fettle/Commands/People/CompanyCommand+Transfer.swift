internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension CompanyCommand {
  struct Transfer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Transfer a company to another owner",
      scope: .namedCompany,
      discussion: """
        The new owner must be an active member. The old owner gets the role of --keep
        in the same transaction. A company always keeps an active owner.

        Examples:
          fettle company transfer acme --to ana --as eva
          fettle company transfer acme --to ana --from eva --keep viewer
        """
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    @Option(
      help: ArgumentHelp("New owner: an e-mail address, or its part before the @", valueName: "member")
    )
    var to: String

    @Option(
      help: ArgumentHelp(
        "Old owner (default: the member of --as, or the only owner)",
        valueName: "member"
      )
    )
    var from: String?

    @Option(
      name: .customLong("keep"),
      help: ArgumentHelp("Role that the old owner gets", valueName: "role")
    )
    var role = BuiltInRole.admin.rawValue

    func run() async throws {
      try await key.change(company, output) { services, acting in
        let transfer = try await Companies(services).transfer(acting, to: to, from: from, keeping: role)
        return ChangeReport(
          "\(transfer.to.email) is owner of \(acting.company.slug) now, \(transfer.from.email) is \(transfer.from.role)",
          [
            (Column("company"), .string(acting.company.slug)), (Column("owner"), .string(transfer.to.email)),
            (Column("former_owner"), .string(transfer.from.email)),
            (Column("former_owner_role"), .string(transfer.from.role)),
          ]
        )
      }
    }
  }
}
