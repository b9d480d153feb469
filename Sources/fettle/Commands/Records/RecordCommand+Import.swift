internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

extension RecordCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import records from a CSV file or JSON lines",
      discussion: """
        All or nothing: a refused line is reported and refuses the file. --skip-bad
        imports the other lines and writes the refused ones to a file with the same
        columns, to be corrected and imported by the same command. Importing a file
        twice adds nothing.

        Without --map each heading that is a field fills it. Lines with an id change the
        record of that id if its version is still the one in the file: an export can be
        edited and imported.

        Examples:
          fettle record import maintenance.machine machines.csv --company acme
          fettle record import maintenance.meter meters.csv \\
            --map machine=Asset,name=Meter --set unit=h \\
            --create-missing --company acme
          fettle record import inventory.item excel.csv \\
            --delimiter semicolon --encoding windows-1252 --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var kind: TypeArgument
    @Argument(help: "CSV file with a heading line, or JSON lines (.jsonl, .ndjson)", completion: .file())
    var file: String
    @Option(
      help: ArgumentHelp("Heading of the file for each field", valueName: "field=Heading,…"),
      completion: .custom { words, _, _ in await LiveCompletion.fields(words) }
    )
    var map: String = ""
    @OptionGroup var imported: ImportOptions

    func run() async throws {
      let plan = try imported.plan(kind.type, file: file, map: map)
      try await ImportActions(options: options, skipBad: imported.skipBad, dryRun: imported.dryRun)
        .run(plan, file: file)
    }
  }
}
