/// Conflict rule for two devices that changed one record offline.
///
/// A status always moves by transition, whatever the policy; delete beats a concurrent edit.
package enum SyncPolicy: String, Sendable, Codable, CaseIterable {
  /// Records are made and deleted, never edited from a device.
  case appendOnly = "append_only"
  /// Devices at most read.
  case serverOnly = "server_only"
  /// The change that reaches the server last wins.
  case lastWriter = "last_writer"
  /// Changes to different fields both stay; to the same one they conflict.
  case fieldMerge = "field_merge"
  /// A person decides; the default.
  case reject
}
