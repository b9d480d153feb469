package import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// Which records to list.
package struct RecordQuery: Sendable {
  /// Column of the view to the text its value must have.
  package var filters: [(column: String, value: String)] = []
  /// Text that one of the type's search columns must contain, in any case of letters.
  package var search: String?
  /// A sort column of the type; descending with a leading `-`. Nil: newest first.
  package var sort: String?
  /// How many at most, 1 to 100,000.
  package var limit = 100

  package init() {}
}

/// A line of a record's history, with names for people to read.
package struct HistoryLine: RowDecodable, Sendable {
  package let seq: Int64
  package let at: Timestamp
  package let kind: String
  package let transition: String?
  package let from: String?
  package let to: String?
  package let actorKind: String
  package let actor: String
  package let onBehalfOf: String?
  package let comment: String?
  package let changes: JSON

  package init(row: inout RowReader) throws(PostgresError) {
    seq = try row.next()
    at = try row.next()
    kind = try row.next()
    transition = try row.next()
    from = try row.next()
    to = try row.next()
    actorKind = try row.next()
    actor = try row.next()
    onBehalfOf = try row.next()
    comment = try row.next()
    changes = try row.next()
  }
}

extension Records {
  /// A record as its view shows it.
  package func show(_ seat: Seat, type name: String, id: UUID) async throws -> JSONObject {
    let type = try catalogue.type(name)
    return try await reading(seat) { tx, rights in
      let row = try tx.first(type.view(company: seat.company.id, id: id, guards: []), as: ViewedRow.self)
      let document = try row?.document.value().object
      guard let document, rights.mayRead(type, document) else {
        throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
      }
      return document
    }
  }

  /// The records a query finds, as their view shows them.
  package func list(_ seat: Seat, type name: String, _ query: RecordQuery) async throws -> [JSONObject] {
    let type = try catalogue.type(name)
    let statement = try RecordListing(type: type, company: seat.company.id, query: query).statement
    return try await reading(seat) { tx, rights in
      let readsAll = rights.holds("\(name).read")
      guard readsAll || rights.holds("\(name).read.own") else {
        try rights.require("\(name).read", writing: false)
        return []
      }
      return try tx.rows(statement, JSON.self)
        .compactMap { try $0.value().object }
        .filter { readsAll || rights.mayRead(type, $0) }
    }
  }

  /// What happened to a record, oldest first.
  package func history(_ seat: Seat, type name: String, id: UUID) async throws -> [HistoryLine] {
    _ = try await show(seat, type: name, id: id)
    return try await reading(seat) { tx, _ in
      try tx.rows(
        """
        select h.seq, h.occurred_at, h.kind, h.transition, h.from_status, h.to_status, h.actor_kind, h.actor_name,
          u.name, h.comment, h.changes
        from core.history h
        left join core.app_user u on u.id = coalesce(h.on_behalf_of, h.actor_id)
        where h.company_id = \(seat.company.id) and h.record_type = \(name) and h.record_id = \(id)
        order by h.seq
        """,
        as: HistoryLine.self
      )
    }
  }

  /// The transitions the actor could take now.
  package func available(_ seat: Seat, type name: String, id: UUID) async throws -> [String] {
    guard try catalogue.type(name).workflow != nil else { return [] }
    return try await reading(seat) { tx, rights in
      var type = try type(name, followedBy: rights.access, of: seat.company.id, tx)
      let locked = try tx.first(type.peek(company: seat.company.id, id: id), as: LockedRow.self)
      type = next(type, of: seat.company.id, status: locked?.status) ?? type
      let view = type.view(company: seat.company.id, id: id, guards: type.guardPaths)
      let reading = try RecordReading(
        type: type,
        locked: locked,
        viewed: tx.first(view, as: ViewedRow.self),
        rights: rights
      )
      guard let workflow = type.workflow else { return [] }
      return Kernel.available(on: reading.snapshot, by: rights.kernel(seat, type), under: workflow).map(
        \.name
      )
    }
  }

  /// The id of the record that people call by a name: an id, the beginning of one, or the type's key.
  ///
  /// - Throws: `not_found` with the closest key, `invalid_input` when the beginning fits several.
  package func resolve(_ seat: Seat, type name: String, _ text: String) async throws -> UUID {
    if let id = UUID(uuidString: text) { return id }
    let type = try catalogue.type(name)
    return try await reading(seat) { tx, _ in
      try RecordName(type: type, company: seat.company.id).find(text, tx)
    }
  }

  private func reading<Value: Sendable>(
    _ seat: Seat,
    _ body: @escaping @Sendable (Transaction, Rights) throws -> Value
  ) async throws -> Value {
    let context = seat.context(requestID: services.ids.next())
    return try await services.database.transaction(
      .inside(seat.company.id, user: seat.user, readOnly: true)
    ) { tx in
      guard let access = try tx.first(Access.query(context), as: Access.self) else {
        throw DomainError(.notFound)
      }
      let rights = try Rights(seat, access)
      guard access.companyStatus == "active" || access.companyStatus == "suspended" || rights.isUnbound else {
        throw DomainError(.companyArchived, "\(access.companySlug) is \(access.companyStatus)")
      }
      return try body(tx, rights)
    }
  }
}

extension Rights {
  /// Whether the actor may see this record of a type.
  fileprivate func mayRead(_ type: RecordType, _ document: JSONObject) -> Bool {
    if holds("\(type.name).read") { return true }
    guard let user, holds("\(type.name).read.own") else { return false }
    return (["created_by"] + type.definition.ownerFields).contains { document[$0]?.string == user.text }
  }
}
