/// Values for some columns of a record, as somebody wants them.
package struct RecordPatch: Sendable, Hashable, Codable {
  /// The columns and their values; null empties a column.
  package let fields: JSONObject
  /// The version the actor has seen; nil to take whatever there is.
  package let expectedVersion: Int64?

  /// Puts a patch together.
  package init(_ fields: JSONObject, expectedVersion: Int64? = nil) {
    self.fields = fields
    self.expectedVersion = expectedVersion
  }
}
