package import Domain
package import Store

/// Which records to list, in which order, from where.
package struct RecordQuery: Sendable {
  /// Column of the view to the text its value must have.
  package var filters: [(column: String, value: String)] = []
  /// What else must hold, all of it.
  package var conditions: [RecordCondition] = []
  /// Text that one of the type's search columns must contain, in any case of letters.
  package var search: String?
  /// Sort columns of the type, comma-separated, each descending with a leading `-`. Nil: newest first.
  package var sort: String?
  /// How many at most, 1 to 100,000.
  package var limit = 100
  /// Where the page before ended, as it said itself; nil for the first page.
  package var after: String?
  /// Tombstones instead of what lives, for those who may delete.
  package var deleted = false

  package init() {}
}

/// A part of a list, and where to go on.
package struct RecordPage: Sendable {
  /// The records as their view shows them, each with `allowed`: what the actor may do with it now.
  package let records: [JSONObject]
  /// What ``RecordQuery/after`` takes for the next page; nil at the end.
  package let next: String?
}

extension RecordType {
  /// - Throws: `unknown_fields` when the database does not sort by one of the comma-separated columns.
  package func requireOrder(_ sort: String) throws { _ = try RecordOrder(sort, of: self, among: viewColumns) }
}
