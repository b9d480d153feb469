internal import Domain
internal import FoundationEssentials
internal import Store

/// A record that another one refers to: it must be there, and stay while the reference is written.
struct Parent: Sendable {
  let type: RecordType
  let id: UUID

  func require(_ isAlive: Bool?) throws {
    switch isAlive {
    case true?: return
    case false?:
      throw DomainError(.parentDeleted, "the \(type.definition.label.lowercased()) has been deleted")
    case nil: throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
  }
}
