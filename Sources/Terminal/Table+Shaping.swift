internal import Domain

/// The operations of the options `--columns`, `--sort` and `--where`.
extension Table {
  /// Returns the table with the columns of a comma-separated list only, in the order of the list.
  ///
  /// - Throws: `unknown_column` with the closest name.
  package func selecting(_ list: String) throws(TerminalError) -> Table {
    var positions: [Int] = []
    for name in Self.names(in: list) {
      positions.append(try position(of: name))
    }
    return Table(columns: positions.map { columns[$0] }, rows: rows.map { row in positions.map { row[$0] } })
  }

  /// Returns the table sorted by the comma-separated columns; a leading `-` sorts in descending order.
  ///
  /// Numbers are compared by value, text without case. Missing values are last in both directions. The sort
  /// is stable.
  ///
  /// - Throws: `unknown_column` with the closest name.
  package func sorted(by list: String) throws(TerminalError) -> Table {
    var keys: [(position: Int, isDescending: Bool)] = []
    for name in Self.names(in: list) {
      let isDescending = name.hasPrefix("-")
      keys.append((try position(of: isDescending ? String(name.dropFirst()) : name), isDescending))
    }
    let order = rows.indices.sorted { left, right in
      for key in keys {
        let comparison = CellOrder.compare(rows[left][key.position], rows[right][key.position])
        let isNull = rows[left][key.position] == .null || rows[right][key.position] == .null
        guard comparison != 0 else { continue }
        return key.isDescending && !isNull ? comparison > 0 : comparison < 0
      }
      return left < right
    }
    return Table(columns: columns, rows: order.map { rows[$0] })
  }

  /// Returns the table with the rows that satisfy all filters, each `column=value` or `column!=value`.
  ///
  /// A filter compares the whole plain text, with case. An empty value matches missing values and empty text.
  ///
  /// - Throws: `malformed_filter`, `unknown_column` with the closest name.
  package func filtered(by filters: [String]) throws(TerminalError) -> Table {
    var conditions: [(position: Int, isNegated: Bool, value: String)] = []
    for filter in filters {
      guard let equals = filter.firstIndex(of: "="), equals != filter.startIndex else {
        throw TerminalError(
          .malformedFilter,
          "\"\(filter)\" is not a condition",
          hint: "write --where column=value or --where 'column!=value'"
        )
      }
      let name = filter[..<equals]
      let isNegated = name.hasSuffix("!")
      let position = try position(of: String(isNegated ? name.dropLast() : name))
      conditions.append((position, isNegated, String(filter[filter.index(after: equals)...])))
    }
    let kept = rows.filter { row in
      conditions.allSatisfy { (row[$0.position].plainText == $0.value) != $0.isNegated }
    }
    return Table(columns: columns, rows: kept)
  }

  private static func names(in list: String) -> [String] {
    list.split(separator: ",").map { name in
      String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  private func position(of name: String) throws(TerminalError) -> Int {
    if let position = columns.firstIndex(where: { $0.key == name }) { return position }
    let keys = columns.map(\.key)
    let guess = Suggestion.closest(to: name, among: keys).map { "did you mean \($0)? " } ?? ""
    throw TerminalError(
      .unknownColumn,
      "there is no column \"\(name)\"",
      hint: "\(guess)use one of: \(keys.joined(separator: ", "))"
    )
  }
}
