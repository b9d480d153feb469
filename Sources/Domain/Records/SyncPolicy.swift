/// The rule for records that several devices change offline.
///
/// It does not apply to the status, which changes only by transitions. A deletion wins over a concurrent
/// edit.
package enum SyncPolicy: String, Sendable, Codable, CaseIterable {
  /// Devices create and delete records, and cannot edit them.
  case appendOnly = "append_only"
  /// Devices cannot change records.
  case serverOnly = "server_only"
  /// The change that reaches the server last wins.
  case lastWriter = "last_writer"
  /// Changes to different fields are merged; changes to the same field conflict.
  case fieldMerge = "field_merge"
  /// Concurrent changes conflict, and a user decides. This is the default.
  case reject
}
