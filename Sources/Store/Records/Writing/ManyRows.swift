internal import FoundationEssentials
internal import Postgres

/// The insert of many rows: each column has an array with an element per row, or one value that all rows share.
struct ManyRows<Row> {
  private let rows: ArraySlice<Row>
  /// True if the shared columns have the same value in all rows.
  private let isUniform: Bool
  private var names: [SQL] = []
  private var values: [SQL] = []
  private var arrays: [SQL] = []
  private var aliases: [SQL] = []

  init(_ rows: ArraySlice<Row>, isUniform: Bool) {
    self.rows = rows
    self.isUniform = isUniform
  }

  /// Adds a column with an expression, which may use other columns, such as `x.seq`.
  mutating func column(_ name: SQL, is expression: SQL) {
    names.append(name)
    values.append(expression)
  }

  /// Adds a column with a value per row, which PostgreSQL converts to `type`.
  mutating func column<Value: PostgresEncodable>(_ name: SQL, _ elements: [Value], as type: SQL? = nil) {
    column(name, is: type.map { "x.\(name)::\($0)" } ?? "x.\(name)")
    arrays.append("\(elements)")
    aliases.append(name)
  }

  /// Adds a column whose value is sent once if the rows are uniform.
  mutating func shared<Value: PostgresEncodable>(_ name: SQL, _ value: (Row) -> Value) {
    if isUniform, let first = rows.first {
      column(name, is: "\(value(first))")
    } else {
      column(name, rows.map(value))
    }
  }

  /// Returns the statement; a clause about conflicts may follow.
  func insert(into table: SQL, company: UUID) -> SQL {
    """
    insert into \(table) (company_id, \(SQL.joined(names, separator: ", ")))
    select \(company), \(SQL.joined(values, separator: ", "))
    from unnest(\(SQL.joined(arrays, separator: ", "))) x (\(SQL.joined(aliases, separator: ", ")))
    """
  }
}
