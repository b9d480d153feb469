internal import Domain
package import FoundationEssentials
package import Store

/// A record that another record refers to. It must exist and not be deleted until the reference is written.
package struct Parent: Sendable {
  package let type: RecordType
  package let id: UUID

  package func require(_ isAlive: Bool?) throws {
    switch isAlive {
    case true?: return
    case false?:
      throw DomainError(.parentDeleted, "the \(type.definition.label.lowercased()) has been deleted")
    case nil: throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
  }
}

extension RecordType {
  /// Returns the ids to which a record refers.
  func named(in document: JSONObject) -> Set<String> {
    Set(definition.references.compactMap { document[$0.column]?.string })
  }
}
