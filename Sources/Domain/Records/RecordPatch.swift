/// New values for columns of a record.
package struct RecordPatch: Sendable, Hashable, Codable {
  /// The new values by column; null clears a column.
  package let fields: JSONObject
  /// The version that the actor has seen; nil to accept any version.
  package let expectedVersion: Int64?

  /// Creates a patch.
  package init(_ fields: JSONObject, expectedVersion: Int64? = nil) {
    self.fields = fields
    self.expectedVersion = expectedVersion
  }
}
