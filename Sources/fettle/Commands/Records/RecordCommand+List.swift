internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import Terminal

extension RecordCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List records of a type",
      scope: .company,
      discussion: """
        A condition of --where is a column, an operator and a value. The operators are
        = != < <= > >= ~ (contains), !~ (does not contain), in a,b and not in a,b;
        is null and is not null have no value. Several conditions must all hold.

        Examples:
          fettle record list maintenance.entry --where status=pending -c acme
          fettle record list maintenance.entry --where "due_on<2026-01-01" \\
            --where "status in pending,in_progress" --sort due_on,-priority -c acme
          fettle record list maintenance.entry --all --output jsonl -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var kind: TypeArgument
    @Option(name: [.customShort("q"), .long], help: "Only records that contain this text")
    var search: String?
    @Option(help: "Maximum number of rows") var limit = 100
    @Option(help: ArgumentHelp("Cursor printed with the previous page", valueName: "cursor"))
    var after: String?
    @Flag(help: "Stream all records, with --output csv or jsonl") var all = false
    @Flag(help: "List deleted records; requires the permission to delete") var deleted = false
    @Flag(help: "Show the query plan of PostgreSQL, for operators") var explain = false

    func validate() throws {
      if all, after != nil { throw ValidationError("--all and --after cannot be combined") }
    }

    func run() async throws {
      var query = RecordQuery()
      query.search = search
      query.limit = limit
      query.after = after
      query.deleted = deleted
      let actions = RecordActions(options: options, type: kind.type)
      if explain { return try await actions.explain(query) }
      if all { return try await actions.stream(query) }
      try await actions.list(query, columns: [], tellsCursor: true)
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Export all records of a type",
      scope: .company,
      discussion: """
        Rows include id and version: importing the edited file updates these records
        and creates no duplicates. In CSV, text that a spreadsheet would run as a
        formula gets a leading ', which an import removes. The default format is CSV.
        --for excel writes a file that Excel opens by double-click where decimals
        have a comma; the other options change single parts of the form.

        Examples:
          fettle record export maintenance.machine --company acme > machines.csv
          fettle record export maintenance.entry --for excel -c acme > orders.csv
          fettle record export maintenance.entry --for excel --delimiter comma \\
            --decimal point -c acme > orders.csv
          fettle record export maintenance.entry --where status=pending -o jsonl -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var kind: TypeArgument
    @Option(name: [.customShort("q"), .long], help: "Only records that contain this text")
    var search: String?
    @OptionGroup var export: ExportOptions

    func run() async throws {
      var query = RecordQuery()
      query.search = search
      var options = options
      if options.output.output == .table { options.output.output = .csv }
      try await RecordActions(options: options, type: kind.type).stream(
        query,
        permission: "export",
        form: try export.form(options.output.output)
      )
    }
  }
}
