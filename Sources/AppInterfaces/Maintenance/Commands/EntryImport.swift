internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

struct EntryImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import entries from a CSV file or JSON lines",
    scope: .company,
    discussion: """
      One invalid line fails the whole import; the error names the line. With --skip-bad, the valid lines are \
      imported, and the others are written to a file with the same columns, line and reason. Correct this file and \
      import it with the same command. Importing a file twice adds nothing.

      Decimal sign, date format and delimiter are found out from the whole file. If a column can be read in two \
      ways, such as 1.355 or 01/02/2026, state them. An unreadable value refuses its line, unless you allow its \
      field to stay empty. Import the corrected file later: it fills what stayed empty, and keeps what somebody \
      has changed.

      Examples:
        fettle entry import orders.csv --company acme \\
          --map machine=Asset,description=Text,category=Type,reported_on=Date \\
          --set status=completed --create-missing
        fettle entry import excel.csv --encoding windows-1252 --decimal comma \\
          --date-format dd.mm.yyyy --map machine=Asset,description=Text --company acme
      """
  )

  @OptionGroup var options: RecordOptions

  @Argument(
    help: "CSV file with a heading line, or JSON lines (.jsonl, .ndjson); - for standard input",
    completion: .file(extensions: ["csv", "jsonl", "ndjson"])
  )
  var file: String

  @Option(help: ArgumentHelp("Heading of the file for each field (repeatable)", valueName: "field=Heading,…"))
  var map: [String] = []

  @OptionGroup var imported: ImportOptions

  func run() async throws {
    let plan = try imported.plan("maintenance.entry", file: file, map: map)
    let names = ImportActions.Names(one: "entry", many: "entries")
    try await ImportActions(
      options: options,
      skipBad: imported.skipBad,
      dryRun: imported.dryRun,
      names: names
    ).run(plan, file: file)
  }
}
