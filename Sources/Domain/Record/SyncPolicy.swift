/// The conflict rule for records changed on two devices offline.
///
/// A status always changes by transition, whatever the policy; a deletion wins over a concurrent edit.
package enum SyncPolicy: String, Sendable, Codable, CaseIterable {
  /// Devices create and delete records, but never edit them.
  case appendOnly = "append_only"
  /// Devices can only read.
  case serverOnly = "server_only"
  /// The change that reaches the server last wins.
  case lastWriter = "last_writer"
  /// Changes to different fields are merged; changes to the same field conflict.
  case fieldMerge = "field_merge"
  /// A user decides; the default.
  case reject
}
