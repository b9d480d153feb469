package import ArgumentParser
package import Terminal

extension OutputFormat: ExpressibleByArgument {}

/// How results are printed: for people by default, for programs on request.
package struct OutputOptions: ParsableArguments {
  @Option(name: [.short, .long], help: "How to print: table, json, jsonl, csv or yaml.")
  package var output: OutputFormat = .table

  @Option(help: ArgumentHelp("Only these columns, in this order.", valueName: "a,b"))
  package var columns: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Sort by a column; -column for descending.", valueName: "column")
  )
  package var sort: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only rows where a column has a value.", valueName: "column=value")
  )
  package var filters: [String] = []

  package init() {}

  /// Whether nothing asks for the rows to be together first: no sorting, no choice of columns or rows.
  package var isPlain: Bool { sort == nil && columns == nil && filters.isEmpty }

  /// Prints a list.
  package func print(_ table: Table) throws {
    var shaped = try table.filtered(by: filters)
    if let sort { shaped = try shaped.sorted(by: sort) }
    if let columns { shaped = try shaped.selecting(columns) }
    try write(output.render(shaped, on: Screen.output))
  }

  /// Prints a list whose rows have been chosen and sorted already.
  package func printAsIs(_ table: Table) throws {
    var plain = self
    (plain.filters, plain.sort) = ([], nil)
    try plain.print(table)
  }

  /// Prints one thing in full.
  package func printRecord(_ fields: [(Column, Cell)]) throws {
    var table = Table(columns: fields.map(\.0), rows: [fields.map(\.1)])
    if let columns { table = try table.selecting(columns) }
    try write(output.renderRecord(table.columns, table.rows[0], on: Screen.output))
  }

  /// Says what was done: a sentence for people, the facts for programs.
  package func report(_ sentence: String, _ fields: [(Column, Cell)]) throws {
    guard output == .table, columns == nil else { return try printRecord(fields) }
    try write(DisplayText.neutralized(sentence) + "\n")
  }

  private func write(_ text: String) throws {
    var out = BufferedOutput()
    try out.write(text)
    try out.flush()
  }
}
