internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

struct EntryImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import entries from a CSV file or JSON lines",
    discussion: """
      All or nothing: one refused line refuses the file and is named. --skip-bad imports the other lines and writes \
      the refused ones to a file with the same columns; correct it and import it by the same command. Importing a file \
      twice adds nothing. A value of an optional column that cannot be read stays empty and is reported; --strict \
      refuses its line instead.

      Examples:
        fettle entry import orders.csv --company acme \\
          --map machine=Asset,description=Text,category=Type,reported_on=Date \\
          --set status=completed --create-missing
        fettle entry import excel.csv --delimiter semicolon --encoding windows-1252 \\
          --map machine=Maschine,description=Text --company acme
      """
  )

  @OptionGroup var options: RecordOptions

  @Argument(
    help: "CSV file with a heading line, or JSON lines (.jsonl, .ndjson)",
    completion: .file(extensions: ["csv", "jsonl", "ndjson"])
  )
  var file: String

  @Option(help: ArgumentHelp("Heading of the file for each field", valueName: "field=Heading,…"))
  var map: String

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
