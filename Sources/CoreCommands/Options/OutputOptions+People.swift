package import Terminal

extension OutputOptions {
  /// Prints a list; people see the columns named here unless they ask for others, programs get all of them.
  package func print(_ table: Table, forPeople columns: [String]) throws {
    guard output == .table, self.columns == nil else { return try print(table) }
    var narrowed = self
    narrowed.columns = columns.joined(separator: ",")
    try narrowed.print(table)
  }

  /// Prints a secret that is shown this once: alone on stdout for people and pipes, among the facts for programs.
  package func reveal(_ secret: String, as column: String, note: String, _ fields: [(Column, Cell)]) throws {
    if output == .table, columns == nil { Message.tell(note) }
    try report(secret, [(Column(column), .string(secret))] + fields)
  }
}
