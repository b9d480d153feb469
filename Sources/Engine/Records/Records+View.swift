internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A record as a statement read it, with the actions that the actor can take.
struct SeenRecord: Sendable {
  /// The row as JSON.
  let document: JSON
  /// The transitions and actions that are possible now.
  let allowed: [String]
  let version: Int64
  let epoch: UUID
}

extension Records {
  /// Reads a record, and finds the possible actions, in one round trip.
  ///
  /// A second one is required if an activation has already moved the record to the next version of its workflow.
  ///
  /// - Parameter statement: returns the statement that reads the record as JSON with at least the status, the version
  ///   and the owners, and the results of guards.
  /// - Throws: `not_found` if there is no such record or the actor may not read it.
  func view(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    deleted: Bool,
    _ statement: @escaping @Sendable (RecordType, [String]) throws -> SQL
  ) async throws -> SeenRecord {
    let company = acting.company.id
    let ahead = Latest<RecordType>()
    return try await asking(acting, type: name) { type, pipeline in
      let type = ahead.value ?? type
      // Only those who may delete a record learn whether something refers to it.
      let asksReach = deleted || rightsKnown.mayHold("\(name).delete.own", acting)
      let reach = DeletionReach(catalogue, company: company)
      let hindered = asksReach ? try reach.hindered([id], of: type, deleted: deleted) : nil
      return (
        view: pipeline.rows(try statement(type, Availability.paths(of: type)), as: ViewedRow.self),
        entitlement: Availability.entitlement(of: type, acting).map { pipeline.value($0, as: Bool.self) },
        hindered: hindered.map { pipeline.rows($0, UUID.self) },
        asksReach: asksReach
      )
    } _: { _, followed, rights, tickets in
      let type = ahead.value ?? followed
      try rights.requireApp(of: type)
      guard let row = try tickets.view.first, let document = try row.document.value().object,
        deleted ? rights.canReadDeleted(type, document) : rights.canRead(type, document)
      else { throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())") }
      if !deleted, ahead.value == nil, let next = next(type, of: company, status: document["status"]?.string)
      {
        ahead.value = next
        throw AskAgain()
      }
      let availability = Availability(
        type,
        rights: rights,
        acting: acting,
        isEntitled: try tickets.entitlement?.first ?? true
      )
      guard tickets.asksReach || !availability.mayDelete else { throw AskAgain() }
      let isHindered = try tickets.hindered?.first != nil
      return SeenRecord(
        document: row.document,
        allowed: deleted
          ? availability.allowed(onDeleted: document, answers: row.guards, isOrphan: isHindered)
          : availability.allowed(on: document, answers: row.guards, isReferenced: isHindered),
        version: document["version"]?.number?.integer ?? 0,
        epoch: rights.access.epoch
      )
    }
  }
}
