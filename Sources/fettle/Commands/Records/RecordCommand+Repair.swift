internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Terminal

extension RecordCommand {
  struct Repair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Restore values of the creation from history",
      scope: .company,
      discussion: """
        A column such as the name of the reporter is computed once, when a record is
        created. Earlier builds replaced it at every edit. History has the first
        value: this command writes it back, with an entry of history for each record.
        Only the operator, without --as. Repeating it changes nothing.

        Examples:
          fettle record repair --company acme --dry-run
          fettle record repair maintenance.entry --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Flag(help: "Show the records, and change nothing") var dryRun = false
    @Argument(help: ArgumentHelp("Record type (default: all)", valueName: "type")) var type: String?

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let records = try await Records.open(services)
        let found = try await records.repairOrigins(acting, type: type, dryRun: dryRun)
        try options.output.print(
          Table(
            columns: [Column("type"), Column("record"), Column("column"), Column("was"), Column("created")],
            rows: found.map { lost in
              [
                .string(lost.type), Cell(lost.record), .string(lost.column), Cell(lost.now),
                Cell(lost.created),
              ]
            }
          )
        )
        let count = "\(found.count) \(found.count == 1 ? "record" : "records")"
        Message.tell(dryRun ? "\(count) would be repaired" : "repaired \(count)")
      }
    }
  }
}
