internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Verify the hash chains of history",
    discussion: """
      To read the history of one record, use `fettle record history`.

      Example: fettle history verify --company acme
      """,
    subcommands: [Verify.self],
    defaultSubcommand: Verify.self
  )

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Recompute history hashes and find tampered entries",
      discussion: """
        Finds changed, swapped and missing entries, and missing chains. Each record
        stores the number and the hash of its last entry, and a daily seal covers the
        last entries of all chains. The hashes of erased texts are still verified. Exit
        code 8 with findings, 0 without.

        Examples:
          fettle history verify
          fettle history verify maintenance.entry --company acme
          fettle history verify maintenance.machine RM-001 --company acme
        """
    )
    @Argument(help: "Type to verify, such as maintenance.entry (default: all)") var type: String?
    @Argument(help: "Record to verify: its key, its id, or the beginning of its id") var record: String?
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      var scope = Verification.Scope()
      scope.isHistoryOnly = true
      scope.type = type
      let verify = VerifyRun(connection: company.connection, output: output)
      guard let type, let record else {
        return try await verify.run(company: try await company.named()?.slug, scope: scope)
      }
      // Found with the member's rights, so that only readers of a record verify it.
      scope.record = try await company.withRecord(record, type: type) { _, _, id in id }
      try await company.withActingContext { services, acting in
        let catalogue = try await Records.open(services).catalogue
        try await verify.run([acting.company], scope: scope, services, catalogue)
      }
    }
  }
}
