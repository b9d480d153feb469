internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

struct EntryImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import entries from a CSV file",
    discussion: """
      All or nothing: a line that cannot be taken refuses the file, naming the line; --skip-bad takes the rest and \
      writes such lines to a file, to be corrected and imported again. The same file again adds nothing. A value of \
      an optional column that cannot be read stays empty and is told; --strict refuses its line instead.

      Example:
        fettle entry import orders.csv --company acme \\
          --map machine=Asset,description=Text,category=Type,reported_on=Date \\
          --set status=completed --create-missing
      """
  )

  @OptionGroup var options: RecordOptions

  @Argument(help: "The file, with a heading line", completion: .file(extensions: ["csv"]))
  var file: String

  @Option(help: ArgumentHelp("Column of the file for each field", valueName: "field=Heading,…"))
  var map: String

  @Option(
    help: ArgumentHelp("Fields with one value for all records, such as status", valueName: "field=value,…")
  )
  var set: String = ""

  @Flag(help: "Create missing machines and categories")
  var createMissing = false

  @Option(
    help: ArgumentHelp(
      "Import valid lines, and write the others with reasons to a file",
      valueName: "file"
    ),
    completion: .file()
  )
  var skipBad: String?

  @Flag(help: "Refuse a line when an optional value cannot be read")
  var strict = false

  @Flag(help: "Check and count, then roll back")
  var dryRun = false

  func run() async throws {
    let plan = ImportPlan(
      type: "maintenance.entry",
      mapping: try ImportPlan.pairs(map, option: "--map").map { (column: $0.0, heading: $0.1) },
      fixed: try ImportPlan.pairs(set, option: "--set").map { (column: $0.0, value: $0.1) },
      createsMissing: createMissing,
      isStrict: strict,
      skipsBad: skipBad != nil
    )
    try await ImportActions(options: options, skipBad: skipBad, dryRun: dryRun).run(plan, file: file)
  }
}
