/// The columns of a table that tell something of a person, each with the column that has the member.
///
/// Erasing the member empties them, and puts the name of her replacement into columns whose name ends with `_name`. Her ids
/// and address need no mark: they are found in every column of every table.
package struct PersonalColumns: Sendable, Hashable {
  /// The column with the member, by column.
  package let marked: [String: String]
  /// The columns that look personal and are not.
  package let waived: [String]

  /// Reads `personal` and `impersonal` of a type or table.
  init(_ object: borrowing StrictObject) throws {
    marked = try object.value("personal", default: [:])
    waived = try object.value("impersonal", default: [])
    for column in Array(marked.keys) + marked.values + waived where !Identifier.isWord(column) {
      throw object.invalid("personal", "\(Quoted(column)) is not a valid column name")
    }
  }

  /// True for the name of a column that looks as if it had a name, an address or a note of a person.
  package static func looksPersonal(_ column: String) -> Bool {
    ["_name", "note", "notes", "phone"].contains { column.hasSuffix($0) } || column.contains("email")
      || column == "author"
  }
}

extension ManifestLint {
  /// Requires that every column that looks personal is marked or waived, and that marks name columns.
  ///
  /// - Parameters:
  ///   - relation: the table.
  ///   - columns: those that the manifest names, which are looked at if nothing is known of the table.
  mutating func check(
    _ personal: PersonalColumns,
    in relation: String,
    naming columns: [String] = [],
    at path: String
  ) {
    for (column, member) in personal.marked.sorted(by: { $0.key < $1.key }) {
      look(up: column, in: relation, at: "\(path).personal")
      look(up: member, in: relation, at: "\(path).personal")
    }
    for column in personal.waived { look(up: column, in: relation, at: "\(path).impersonal") }
    let said = Set(personal.marked.keys).union(personal.waived)
    for column in (context.relations?[relation] ?? Set(columns)).subtracting(said).sorted()
    where PersonalColumns.looksPersonal(column) {
      report(
        .unmarkedPersonal,
        path,
        "the column \(column) looks personal, and nothing says whose it is",
        "write personal: { \(column): COLUMN } with the column of the member, or list it under impersonal"
      )
    }
  }
}
