internal import Postgres
package import Terminal

extension OutputOptions {
  /// Prints a list. People see the given columns unless they choose others; programs get all columns.
  package func print(_ table: Table, forPeople columns: [String]) throws {
    guard output == .table, self.columns == nil else { return try print(table) }
    let shaped = try shaping(table)
    try write(output.render(try shaped.selecting(columns.joined(separator: ",")), on: screen))
    if shaped.rows.isEmpty { tellEmpty(of: table.rows.count) }
  }

  /// Prints a secret that is shown only once: alone on stdout for people and pipes, as a field for programs.
  ///
  /// - Parameter note: a message on stderr for people: whom the secret is for; and after a semicolon, what to do with it.
  package func reveal(_ secret: String, as column: String, note: String, _ fields: [(Column, Cell)]) throws {
    // The secret of a dry run opens nothing, and would only be tried.
    guard !Rehearsal.isOn else {
      return try report("a \(column) \(note.prefix { $0 != ";" })", [(Column(column), .null)] + fields)
    }
    if output == .table, columns == nil {
      // Piped on, the secret does not follow the colon.
      let isPiped = !screen.isTerminal && note.hasSuffix(":")
      Message.tell(isPiped ? "\(note.dropLast()), on standard output" : note)
    }
    try report(secret, [(Column(column), .string(secret))] + fields)
  }
}
