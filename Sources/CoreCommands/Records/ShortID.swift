package import Terminal

/// Shortens ids to the shortest unique prefix in a list that is too wide otherwise. Commands accept a prefix instead of the
/// full id.
package enum ShortID {
  /// Minimum length of a prefix in characters: the creation time in milliseconds with which an id begins.
  private static let least = 13

  /// Shortens the column `id` of a table that does not fit a terminal. Programs always get full ids.
  package static func shortening(_ table: Table, on screen: Screen) -> Table {
    guard !table.fits(screen), let index = table.columns.firstIndex(where: { $0.key == "id" }) else {
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
