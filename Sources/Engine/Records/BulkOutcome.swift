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
}

extension BulkOutcome.Item {
  init(_ id: UUID, _ name: String?, _ outcome: ChangeOutcome) {
    let (answer, error): (RecordAnswer?, DomainError?) =
      switch outcome {
      case .applied(let answer, _): (answer, nil)
      case .refused(let error, _): (nil, error)
      case .done: (nil, nil)
      }
    self.init(
      id: id,
      name: name,
      version: answer?.version,
      status: answer?.status,
      code: error?.code,
      message: error?.message
    )
  }
}
