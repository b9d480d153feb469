internal import Domain
package import FoundationEssentials

/// What a command on a record answers, the first time and under the same key ever after.
package struct RecordAnswer: Sendable, Codable {
  package let type: String
  package let id: UUID
  /// The number the engine gave it; nil for a type without numbers.
  package let number: String?
  /// The version the record has now: the ETag.
  package let version: Int64
  /// The status it has now; nil for a type without a workflow.
  package let status: String?
  /// How many records were deleted or restored with it, by type; nil when none was.
  package var along: [String: Int]?

  package init(type: String, id: UUID, number: String? = nil, version: Int64, status: String?) {
    self.type = type
    self.id = id
    self.number = number
    self.version = version
    self.status = status
  }

  /// The same answer with what went along.
  func with(_ along: [String: Int]) -> RecordAnswer {
    var answer = self
    answer.along = along.isEmpty ? nil : along
    return answer
  }
}
