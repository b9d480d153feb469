/// The kinds of changes that a device makes.
public enum SyncOperation: String, Sendable, Codable, CaseIterable {
  /// A new record.
  case create
  /// Other values of some fields.
  case patch
  /// A transition of the record's workflow.
  case transition
  /// The end of the record.
  case delete
  /// Another file of the record, whose bytes are sent when the change is applied.
  case attach
}
