internal import Domain
package import FoundationEssentials
internal import Postgres
package import Store

/// Selects the workflow version under which a command runs.
extension Records {
  /// Runs the first round trip of a command on a type, under the workflow that its company follows now.
  ///
  /// If the cached choices are out of date, it reads them and repeats the queries. If the company changes its
  /// choices later, the gate restarts the unit of work.
  ///
  /// - Throws: `forbidden` if the company does not use the app; ``OutdatedCatalogue`` in a repeatable unit of work.
  func read<Tickets>(
    _ name: String,
    _ acting: ActingContext,
    in work: inout Work,
    _ queue: (RecordType, inout Pipeline) throws -> Tickets
  ) throws -> (type: RecordType, access: Access, tickets: Tickets) {
    let catalogue = self.catalogue
    let type = try catalogue.type(name)
    let known = followed.followed(by: acting.company.id)
    let remembered = type.following(known)
    let (access, tickets) = try work.read { try queue(remembered, &$0) }
    guard !work.isRepeatable || access.catalogueNumber == catalogue.number else { throw OutdatedCatalogue() }
    try access.requireApp(of: type, by: acting.actor)
    guard type.workflow != nil else { return (type, access, tickets) }
    guard known.revision != access.workflowRevision else {
      work.decided(under: known.revision)
      return (remembered, access, tickets)
    }
    let now = try followed.load(acting.company.id, catalogue, work.transaction)
    work.decided(under: now.revision)
    let read = type.following(now)
    return (read, access, try work.readMore { try queue(read, &$0) })
  }

  /// Returns the type under the next version of an activation under way; nil unless the record already
  /// follows it, which its status shows.
  func next(_ type: RecordType, of company: UUID, status: String?) -> RecordType? {
    guard let status, let current = type.workflow, current.state(status) == nil,
      let next = followed.followed(by: company)[type.name]?.next, next.state(status) != nil
    else { return nil }
    return type.following(next)
  }

  /// Returns the type under the cached workflow version of a company. Use it for properties that versions
  /// rarely change, such as the permission to delete.
  package func known(_ name: String, of company: UUID) throws -> RecordType {
    try catalogue.type(name).following(followed.followed(by: company))
  }

  /// Returns the type under the workflow that a company follows now.
  func followedType(_ name: String, _ acting: ActingContext) async throws -> RecordType {
    guard try catalogue.type(name).workflow != nil else { return try catalogue.type(name) }
    return try await services.database.transaction(
      .inside(acting.company.id, user: acting.user, readOnly: true)
    ) { tx in
      try catalogue.type(name).following(followed.load(acting.company.id, catalogue, tx))
    }
  }

  /// Returns the type under the workflow that a company follows now, for use in a read-only transaction.
  func type(_ name: String, followedBy access: Access, of company: UUID, _ tx: Transaction) throws
    -> RecordType
  {
    let type = try catalogue.type(name)
    let known = followed.followed(by: company)
    guard known.revision != access.workflowRevision else { return type.following(known) }
    return type.following(try followed.load(company, catalogue, tx))
  }

  /// Returns all types under the workflows that a company follows now, for use in a read-only transaction.
  func types(followedBy access: Access, of company: UUID, _ tx: Transaction) throws -> [RecordType] {
    let known = followed.followed(by: company)
    let now = known.revision == access.workflowRevision ? known : try followed.load(company, catalogue, tx)
    return catalogue.types.map { $0.following(now) }
  }
}

extension RecordType {
  /// Returns the type with the company's chosen workflow; unchanged if the company has not chosen one.
  func following(_ followed: Followed) -> RecordType {
    followed[name]?.type(self) ?? self
  }
}
