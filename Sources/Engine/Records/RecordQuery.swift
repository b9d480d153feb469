package import Domain
package import Store

/// The filter, order and position of a list.
package struct RecordQuery: Sendable {
  /// Columns of the view with their required values as text; an empty value requires null.
  package var filters: [(column: String, value: String)] = []
  /// Further conditions; all of them must hold.
  package var conditions: [RecordCondition] = []
  /// A text that at least one of the type's search columns must contain, ignoring case.
  package var search: String?
  /// Sort columns of the type, comma-separated, each descending with a leading `-`. Nil means newest first.
  package var sort: String?
  /// The maximum number of records, 1 to 100,000.
  package var limit = 100
  /// The cursor returned with the previous page; nil for the first page.
  package var after: String?
  /// True to list tombstones instead of live records; requires permission to delete.
  package var deleted = false

  package init() {}
}

/// A page of a list and the cursor of the next one.
package struct RecordPage: Sendable {
  /// The records as their view shows them, each with `allowed`: the actions that the actor can take now.
  package let records: [JSONObject]
  /// The value of ``RecordQuery/after`` for the next page; nil on the last page.
  package let next: String?
}

extension RecordType {
  /// Checks a sort order.
  ///
  /// - Throws: `unknown_fields` if one of the comma-separated columns is not sortable.
  package func requireOrder(_ sort: String) throws { _ = try RecordOrder(sort, of: self, among: viewColumns) }
}
