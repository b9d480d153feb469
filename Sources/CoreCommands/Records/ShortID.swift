package import Terminal

/// Ids as short as tells those of a list apart; commands take the beginning of an id for the whole.
package enum ShortID {
  /// An id begins with the millisecond in which it was made; less than that looks alike all day.
  private static let least = 13

  /// Shortens the column `id` of a table, for a person at a terminal only: a program may do anything with an id.
  package static func shortening(_ table: Table, on screen: Screen) -> Table {
    guard screen.isTerminal, let index = table.columns.firstIndex(where: { $0.key == "id" }) else {
      return table
    }
    let ids = table.rows.map { $0[index].plainText }
    guard let whole = ids.map(\.count).max(), whole > least else { return table }
    let length =
      (least..<whole).first { count in Set(ids.map { $0.prefix(count) }).count == ids.count } ?? whole
    var short = table
    for row in short.rows.indices { short.rows[row][index] = .string(String(ids[row].prefix(length))) }
    return short
  }
}
