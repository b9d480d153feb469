package import FoundationEssentials

/// The payload of a job about one record, as effects and hooks write it: `{"record_id": "…"}`.
package struct RecordPayload: Codable, Sendable {
  /// The record.
  package let recordID: UUID

  enum CodingKeys: String, CodingKey {
    case recordID = "record_id"
  }
}
