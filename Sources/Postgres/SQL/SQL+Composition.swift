extension SQL {
  /// Concatenates two fragments; the placeholders of the second are renumbered.
  ///
  /// ```swift
  /// let filter: SQL = done.map { "where done = \($0)" } ?? ""
  /// let sql: SQL = "select * from task " + filter
  /// ```
  ///
  /// Adds no white space between the fragments. Not kept prepared if one of the fragments is not.
  public static func + (left: SQL, right: SQL) -> SQL {
    joined([left, right], separator: SQL(utf8: []))
  }

  /// Joins fragments with a separator, renumbering their placeholders.
  ///
  /// ```swift
  /// let conditions: [SQL] = ["year > \(1990)", "author = \(author)"]
  /// let sql: SQL = "select title from book where \(SQL.joined(conditions, separator: " and "))"
  /// ```
  ///
  /// - Returns: an empty statement for no fragments.
  public static func joined(_ parts: [SQL], separator: SQL) -> SQL {
    var whole = StringInterpolation(
      literalCapacity: parts.reduce(0) { $0 + $1.utf8.count + 2 },
      interpolationCount: 0
    )
    for (index, part) in parts.enumerated() {
      if index > 0 { whole.append(separator) }
      whole.append(part)
    }
    return SQL(stringInterpolation: whole)
  }
}
