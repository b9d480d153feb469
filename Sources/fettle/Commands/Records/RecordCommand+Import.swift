internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

extension RecordCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import records from a file; list and undo imports",
      discussion: """
        Examples:
          fettle record import maintenance.machine machines.csv --company acme
          fettle record import list --company acme
          fettle record import undo 3 --company acme

        `fettle record import file --help` has the options, such as --map for a file with
        other headings.
        """,
      subcommands: [ImportFile.self, ImportList.self, ImportUndo.self],
      defaultSubcommand: ImportFile.self
    )
  }

  struct ImportFile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "file",
      abstract: "Import records from a CSV file or JSON lines",
      scope: .company,
      discussion: """
        If a line is refused, nothing is imported. With --skip-bad, the other lines are
        imported, and the refused ones are written to a file with the same columns plus
        line number and reason; correct the file and import it with the same command.
        Importing a file twice adds nothing.

        Decimal sign, date format and delimiter are found out from the whole
        file. If a column can be read in two ways, such as 1.355 or 01/02/2026,
        state them with --decimal, --thousands or --date-format. A value that
        cannot be read, or has more decimals than its field, refuses the line;
        --empty-if-unreadable FIELD leaves it empty. Import the corrected file
        later: it fills what stayed empty, and keeps what somebody has changed.

        Without --map, a heading with the name of a field fills that field. A line with
        an id updates the record with that id, and is refused if the record's version
        is no longer the one in the file. So you can edit an export and import it.

        Words of the file, such as High for a priority, get a meaning with --values.
        States, choices and people are named by key, label or name. Titles above the
        headings are left out; --last-line leaves out totals below the table. An
        import of the past gives created_at and the times of its transitions too,
        such as completed_at. A second column with a heading is "Heading#2" in --map.
        A heading or a value with a comma is put in double quotes, as in
        --map 'actual_cost="Cost, EUR"'.

        Examples:
          fettle record import maintenance.machine machines.csv --company acme
          fettle record import maintenance.entry orders.csv \\
            --map machine=Asset,description=Text,category=Kind,priority=Urgency \\
            --values priority:High=1,Low=3 --last-line 812 -c acme
          fettle record import maintenance.meter meters.csv \\
            --map machine=Asset,name=Meter --set unit=h \\
            --create-missing --company acme
          fettle record import inventory.item excel.csv \\
            --encoding windows-1252 --decimal comma --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var kind: TypeArgument
    @Argument(
      help: "CSV file with a heading line, or JSON lines (.jsonl, .ndjson); - for standard input",
      completion: .file()
    )
    var file: String
    @Option(
      help: ArgumentHelp("Heading of the file for each field (repeatable)", valueName: "field=Heading,…"),
      completion: .custom { words, _, _ in await LiveCompletion.fields(words) }
    )
    var map: [String] = []
    @OptionGroup var imported: ImportOptions

    func run() async throws {
      let plan = try imported.plan(kind.type, file: file, map: map)
      try await ImportActions(options: options, skipBad: imported.skipBad, dryRun: imported.dryRun)
        .run(plan, file: file)
    }
  }
}
