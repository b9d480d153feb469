internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The order of a list: sortable columns of the view, nulls last, then the id as a tie-breaker.
struct RecordOrder {
  /// A column of the order.
  struct Key {
    let column: Column
    let isDescending: Bool
    /// True if the column can be null. Views do not declare this, so the table's column decides.
    let isNullable: Bool
  }

  /// The sort columns in order, without the id.
  let keys: [Key]

  /// Parses an order: comma-separated columns, each descending with a leading `-`; nil means `-created_at`.
  /// The column `number` sorts by the counter.
  ///
  /// - Parameter columns: the columns of the listed view or table.
  /// - Throws: `unknown_fields` for a column that is not sortable.
  init(_ text: String?, of type: RecordType, among columns: [Column]) throws(DomainError) {
    var keys: [Key] = []
    for word in (text ?? "-created_at").split(separator: ",").map({ String($0).trimmingSpaces() }) {
      var name = word.hasPrefix("-") ? String(word.dropFirst()) : word
      if name == "number", type.definition.number != nil { name = "number_seq" }
      let sortable = columns.filter {
        type.definition.sort.contains($0.name) || $0.name == "created_at"
          || $0.name == "number_seq" && type.definition.number != nil
      }
      let column = try RecordListing.column(name, among: sortable, of: type)
      keys.append(
        Key(
          column: column,
          isDescending: word.hasPrefix("-"),
          isNullable: type.column(name)?.isNullable ?? true
        )
      )
    }
    self.keys = keys
  }

  /// The `order by` list. Columns that are never null use PostgreSQL's default null order, which is also the
  /// order of their indexes.
  var sql: SQL {
    let parts = keys.map { key -> SQL in
      switch (key.isDescending, key.isNullable) {
      case (false, _): "v.\(identifier: key.column.name)"
      case (true, false): "v.\(identifier: key.column.name) desc"
      case (true, true): "v.\(identifier: key.column.name) desc nulls last"
      }
    }
    return SQL.joined(parts + ["v.id"], separator: ", ")
  }

  /// The SQL array of a row's sort values, as text.
  var values: SQL {
    let parts = keys.map { "v.\(identifier: $0.column.name)::text" as SQL }
    return "array[\(SQL.joined(parts, separator: ", "))]::text[]"
  }

  /// Returns the condition that selects exactly the rows after a position.
  ///
  /// - Throws: the error code of a column's kind if the cursor's value is invalid.
  func after(_ cursor: RecordCursor) throws(DomainError) -> SQL {
    var alternatives: [SQL] = []
    var equal: [SQL] = []
    for (key, value) in zip(keys, cursor.values) {
      let name: SQL = "v.\(identifier: key.column.name)"
      guard let value else {
        // Only nulls sort after a null.
        equal.append("\(name) is null")
        continue
      }
      let bound = try key.column.bound(value)
      let further: SQL = key.isDescending ? "\(name) < \(bound)" : "\(name) > \(bound)"
      alternatives.append(Self.all(equal + [key.isNullable ? "(\(further) or \(name) is null)" : further]))
      equal.append("\(name) = \(bound)")
    }
    alternatives.append(Self.all(equal + ["v.id > \(cursor.id)"]))
    let place: SQL = "(\(SQL.joined(alternatives, separator: " or ")))"
    // Repeats the bound on the first column, so that an index scan can start there.
    guard let first = keys.first, !first.isNullable, let value = cursor.values.first ?? nil else {
      return place
    }
    let bound = try first.column.bound(value)
    let name: SQL = "v.\(identifier: first.column.name)"
    return first.isDescending ? "\(name) <= \(bound) and \(place)" : "\(name) >= \(bound) and \(place)"
  }

  private static func all(_ parts: [SQL]) -> SQL { "(\(SQL.joined(parts, separator: " and ")))" }
}
