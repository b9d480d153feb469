package import Domain
package import FoundationEssentials

/// The result of a bulk transition, record by record.
package struct BulkOutcome: Sendable, Codable {
  /// The result for one record.
  package struct Item: Sendable, Codable {
    package let id: UUID
    /// The record's display name; nil if it has none.
    package let name: String?
    /// The version after the transition; nil if it was refused.
    package let version: Int64?
    /// The status after the transition; nil if it was refused.
    package let status: String?
    /// The error code of the refusal; nil if the transition was applied.
    package let code: ErrorCode?
    package let message: String?
  }

  /// One result per visible record that the filter matched, ordered by id.
  package internal(set) var items: [Item] = []

  /// The number of applied transitions.
  package var done: Int { items.count { $0.code == nil } }
  /// The number of refused records, which are unchanged.
  package var refused: Int { items.count - done }

  mutating func add(_ id: UUID, _ name: String?, _ answer: RecordAnswer) {
    items.append(
      Item(id: id, name: name, version: answer.version, status: answer.status, code: nil, message: nil)
    )
  }

  mutating func add(_ id: UUID, _ name: String?, _ error: DomainError) {
    items.append(
      Item(id: id, name: name, version: nil, status: nil, code: error.code, message: error.message)
    )
  }
}
