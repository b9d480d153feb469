/// A part of one record in `show`: related fields, or a list under a heading.
package struct DetailGroup: Sendable {
  enum Content: Sendable {
    case fields([(Column, Cell)])
    case table(Column, Table)
  }

  /// The heading; nil for the group at the top.
  package let title: String?
  let content: Content

  /// Creates the group at the top: fields, one per line.
  package init(_ fields: [(Column, Cell)]) {
    title = nil
    content = .fields(fields)
  }

  /// Creates a group of fields under a heading, one per line.
  package init(_ title: String, _ fields: [(Column, Cell)]) {
    self.title = title
    content = .fields(fields)
  }

  /// Creates a group with a list: a table under a heading for people, a column with a list of objects for
  /// programs.
  ///
  /// For people, a table without rows is omitted; for programs, it is an empty list.
  package init(_ title: String, _ column: Column, _ table: Table) {
    self.title = title
    content = .table(column, table)
  }

  /// The group as fields, for programs.
  package var fields: [(Column, Cell)] {
    switch content {
    case .fields(let fields): fields
    case .table(let column, let table):
      [(column, .list(table.rows.map { RowEncoder.object(table.columns, $0) }))]
    }
  }
}

extension DetailGroup {
  /// The displayed titles of the fields; empty for a list.
  var titles: [String] {
    guard case .fields(let fields) = content else { return [] }
    return fields.map { DisplayText.neutralized($0.0.title) + ":" }
  }
}
