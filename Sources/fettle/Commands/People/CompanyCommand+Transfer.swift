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
      discussion: """
        The new owner must be an active member. The old one steps down in the same
        transaction. A company always keeps an active owner.

        Examples:
          fettle company transfer acme --to ana --as eva
          fettle company transfer acme --to ana --from eva --keep viewer
        """
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var output: OutputOptions

    @Option(
      help: ArgumentHelp("The new owner: an e-mail address, or its part before the @", valueName: "member")
    )
    var to: String

    @Option(
      help: ArgumentHelp(
        "Owner who steps down (default: --as, or the only one)",
        valueName: "member"
      )
    )
    var from: String?

    @Option(
      name: .customLong("keep"),
      help: ArgumentHelp("The role that the old owner keeps (default admin)", valueName: "role")
    )
    var role = BuiltInRole.admin.rawValue

    func run() async throws {
      try await company.withActingContext { services, acting in
        let transfer = try await Companies(services).transfer(acting, to: to, from: from, keeping: role)
        try output.report(
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
