package import Domain
package import FoundationEssentials

/// What a transition over many records came to, record by record.
package struct BulkOutcome: Sendable, Codable {
  /// What it came to for one record.
  package struct Item: Sendable, Codable {
    package let id: UUID
    /// What people call the record; nil when it has no name.
    package let name: String?
    /// The version it has now; nil when it was refused.
    package let version: Int64?
    /// The status it has now; nil when it was refused.
    package let status: String?
    /// Why it was refused; nil when it was done.
    package let code: ErrorCode?
    package let message: String?
  }

  /// One for each record that the filter found, in the order of their ids.
  package internal(set) var items: [Item] = []

  /// How many were taken through the transition.
  package var done: Int { items.count { $0.code == nil } }
  /// How many were refused and are as they were.
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
