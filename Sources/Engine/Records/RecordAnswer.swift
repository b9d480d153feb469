internal import Domain
package import FoundationEssentials

/// The result of a command on a record, returned again for the same idempotency key.
package struct RecordAnswer: Sendable, Codable {
  package let type: String
  package let id: UUID
  /// The record's number; nil for a type without numbers.
  package private(set) var number: String?
  /// The record's version after the command, which HTTP uses as the ETag.
  package let version: Int64
  /// The record's status after the command; nil for a type without a workflow.
  package let status: String?
  /// The number of records deleted or restored with the record, by type name; nil if there were none.
  package var along: [String: Int]?

  package init(type: String, id: UUID, number: String? = nil, version: Int64, status: String?) {
    self.type = type
    self.id = id
    self.number = number
    self.version = version
    self.status = status
  }

  /// Returns the same result with the counts of cascaded records, and with the number that a document shows.
  func with(_ along: [String: Int], numbered document: JSONObject) -> RecordAnswer {
    var answer = self
    answer.number = document["number"]?.string
    answer.along = along.isEmpty ? nil : along
    return answer
  }
}
