internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The order of a list: columns of the view that the type lets sort by, missing values last, and at the end the
/// id, so that every record has its place.
struct RecordOrder {
  /// A column of the order.
  struct Key {
    let column: Column
    let isDescending: Bool
    /// Whether it may lack a value; a view does not know, so its table is asked.
    let isNullable: Bool
  }

  /// The columns, first to last, without the id.
  let keys: [Key]

  /// A number is sorted by its counter.
  ///
  /// - Parameter columns: the columns of the relation that is listed.
  /// - Throws: `unknown_fields` for a column that the type does not sort by.
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

  /// What follows `order by`. For a column that is never null PostgreSQL's own order is asked for, which is the
  /// order its indexes have.
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

  /// The values of a row in this order, as text.
  var values: SQL {
    let parts = keys.map { "v.\(identifier: $0.column.name)::text" as SQL }
    return "array[\(SQL.joined(parts, separator: ", "))]::text[]"
  }

  /// What holds for every row behind a place, and for no other.
  func after(_ cursor: RecordCursor) throws(DomainError) -> SQL {
    var alternatives: [SQL] = []
    var equal: [SQL] = []
    for (key, value) in zip(keys, cursor.values) {
      let name: SQL = "v.\(identifier: key.column.name)"
      guard let value else {
        // Nothing comes behind what is missing but what is missing too.
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
    // The same once more about the first column alone, where an index can begin.
    guard let first = keys.first, !first.isNullable, let value = cursor.values.first ?? nil else {
      return place
    }
    let bound = try first.column.bound(value)
    let name: SQL = "v.\(identifier: first.column.name)"
    return first.isDescending ? "\(name) <= \(bound) and \(place)" : "\(name) >= \(bound) and \(place)"
  }

  private static func all(_ parts: [SQL]) -> SQL { "(\(SQL.joined(parts, separator: " and ")))" }
}
