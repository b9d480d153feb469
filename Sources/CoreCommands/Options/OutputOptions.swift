package import ArgumentParser
internal import Postgres
package import Terminal

extension OutputFormat: ExpressibleByArgument {}
extension Screen.ColorChoice: ExpressibleByArgument {}

/// Options for the output of results: a table for people by default, other formats for programs.
package struct OutputOptions: ParsableArguments {
  @Option(name: [.short, .long], help: "Format of the result")
  package var output: OutputFormat = .table

  @Option(
    name: .customLong("columns"),
    help: ArgumentHelp("Only these columns, in this order (repeatable)", valueName: "a,b")
  )
  var columnLists: [String] = []

  @Option(
    name: .customLong("sort"),
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Sort by columns; -column for descending (repeatable)", valueName: "a,-b")
  )
  var sortLists: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only rows where a column has a value; lists of records also take !=, <, <=, >, >=, ~ (contains) and `in`",
      valueName: "column=value"
    )
  )
  package var filters: [String] = []

  @Option(help: "Use of color")
  package var color: Screen.ColorChoice = .auto

  package init() {}

  /// The columns to print, separated by commas; nil for those of the command.
  package var columns: String? { columnLists.list }

  /// The columns to sort by, separated by commas; nil for the order of the command.
  package var sort: String? { sortLists.list }

  /// True if rows can be printed as they arrive: no sorting, column selection or filters.
  package var isPlain: Bool { sort == nil && columns == nil && filters.isEmpty }

  /// The screen that results are printed on.
  package var screen: Screen { .output(color: color) }

  /// True if a person reads the result in the command's default columns.
  package var isForPeople: Bool { output == .table && columns == nil }

  /// Prints a list, or a message if a table for people is empty.
  package func print(_ table: Table) throws {
    var shaped = try shaping(table)
    if let columns { shaped = try shaped.selecting(columns) }
    try write(output.render(shaped, on: screen, isChosen: columns != nil))
    if shaped.rows.isEmpty { tellEmpty(of: table.rows.count) }
  }

  /// Returns the table with the rows that are asked for, in their order.
  func shaping(_ table: Table) throws -> Table {
    let filtered = try table.filtered(by: filters)
    return try sort.map { try filtered.sorted(by: $0) } ?? filtered
  }

  /// Prints a message that a table for people has no rows.
  func tellEmpty(of count: Int) {
    guard output == .table else { return }
    let conditions = filters.map { "--where \"\($0)\"" }.joined(separator: " ")
    let next = NextStep.current.map { "; \($0)" } ?? ""
    if conditions.isEmpty { return Message.tell("no results\(next)") }
    let found = count == 0 ? "no results for \(conditions)" : "0 of \(count) rows match \(conditions)"
    Message.tell("\(found); leave out --where to see all")
  }

  /// Prints a list whose rows are already filtered and sorted.
  ///
  /// - Parameter isFiltered: true if options of the command have chosen the rows, so that there may be others.
  package func printAsIs(_ table: Table, isFiltered: Bool = false) throws {
    let shaped = try columns.map { try table.selecting($0) } ?? table
    try write(output.render(shaped, on: screen, isChosen: columns != nil))
    guard shaped.rows.isEmpty else { return }
    if isFiltered, filters.isEmpty, output == .table {
      Message.tell("no results for these options")
    } else {
      tellEmpty(of: 0)
    }
  }

  /// Prints one record in full.
  package func printRecord(_ fields: [(Column, Cell)]) throws {
    var table = Table(columns: fields.map(\.0), rows: [fields.map(\.1)])
    if let columns { table = try table.selecting(columns) }
    try write(output.renderRecord(table.columns, table.rows[0], on: screen))
  }

  /// Prints one record in full, in groups for people.
  package func printRecord(_ groups: [DetailGroup]) throws {
    guard isForPeople else { return try printRecord(groups.flatMap(\.fields)) }
    try write(output.renderRecord(groups, on: screen))
  }

  /// Reports a completed action: a sentence for people, fields for programs.
  package func report(_ sentence: String, _ fields: [(Column, Cell)]) throws {
    let isDry = Rehearsal.isOn
    guard output == .table, columns == nil else {
      return try printRecord(isDry ? fields + [(Column("dry_run"), .bool(true))] : fields)
    }
    try write("\(isDry ? "would be: " : "")\(DisplayText.neutralized(sentence))\n")
  }

  func write(_ text: String) throws {
    var out = BufferedOutput()
    try out.write(text)
    try out.flush()
  }
}
