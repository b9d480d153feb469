internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

extension RecordCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import records from CSV or JSON lines",
      discussion: """
        All or nothing: a line that cannot be taken refuses the file, naming the line; --skip-bad
        takes the rest and writes such lines to a file. Without --map each heading that is a field
        fills it. The same file again adds nothing. Lines with an id change the record of that id
        when its version is still the one in the file: so an export comes back, with what was
        changed in it.

        Examples:
          fettle record import maintenance.machine machines.csv --company acme
          fettle record import maintenance.meter meters.csv \\
            --map machine=Asset,name=Meter --set unit=h \\
            --create-missing --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var kind: TypeArgument
    @Argument(help: "The file, with a heading line or JSON lines", completion: .file()) var file: String
    @Option(
      help: ArgumentHelp("Column of the file for each field", valueName: "field=Heading,…"),
      completion: .custom { words, _, _ in await LiveCompletion.fields(words) }
    )
    var map: String = ""
    @Option(
      help: ArgumentHelp(
        "Fields with one value for all records, such as status",
        valueName: "field=value,…"
      )
    )
    var set: String = ""
    @Flag(help: "Create missing records that the file refers to") var createMissing = false
    @Option(
      help: ArgumentHelp(
        "Import valid lines, and write the others with reasons to a file",
        valueName: "file"
      ),
      completion: .file()
    )
    var skipBad: String?
    @Flag(help: "Refuse a line when an optional value cannot be read") var strict = false
    @Flag(help: "Check and count, then roll back") var dryRun = false

    func run() async throws {
      let plan = ImportPlan(
        type: kind.type,
        mapping: try ImportPlan.pairs(map, option: "--map").map { (column: $0.0, heading: $0.1) },
        fixed: try ImportPlan.pairs(set, option: "--set").map { (column: $0.0, value: $0.1) },
        createsMissing: createMissing,
        format: ImportPlan.Format(path: file),
        isStrict: strict,
        skipsBad: skipBad != nil
      )
      try await ImportActions(options: options, skipBad: skipBad, dryRun: dryRun).run(plan, file: file)
    }
  }
}
