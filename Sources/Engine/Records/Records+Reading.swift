package import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

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
  /// A record as its view shows it, with `allowed`: the transitions and actions that the actor could take now.
  ///
  /// - Parameter deleted: show a tombstone, to those who may restore it.
  package func show(_ acting: ActingContext, type name: String, id: UUID, deleted: Bool = false) async throws
    -> JSONObject
  {
    try await reading(acting) { tx, rights in
      let type = try self.type(name, followedBy: rights.access, of: acting.company.id, tx)
      let availability = try Availability(type, rights: rights, acting: acting, tx)
      let statement =
        deleted
        ? type.tombstone(company: acting.company.id, id: id, guards: availability.paths)
        : type.view(company: acting.company.id, id: id, guards: availability.paths)
      guard let row = try tx.first(statement, as: ViewedRow.self),
        var document = try row.document.value().object,
        rights.mayRead(type, document)
      else {
        throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
      }
      let hindered =
        deleted
        ? try DeletionReach(catalogue, company: acting.company.id).orphans([id], of: type, tx)
        : try blocked([id], of: type, acting, availability, tx)
      let isHindered = hindered.contains(id)
      let names =
        try deleted
        ? availability.allowed(onDeleted: document, answers: row.guards, isOrphan: isHindered)
        : allowed(
          on: document,
          answers: row.guards,
          isReferenced: isHindered,
          availability,
          acting,
          rights,
          tx
        )
      document["allowed"] = .strings(names)
      return document
    }
  }

  /// What may be done with a record that lives; one that was moved ahead to the version its company is moving to is
  /// asked about under that.
  private func allowed(
    on document: JSONObject,
    answers: [Bool?],
    isReferenced: Bool,
    _ availability: Availability,
    _ acting: ActingContext,
    _ rights: Rights,
    _ tx: Transaction
  ) throws -> [String] {
    let company = acting.company.id
    guard let ahead = next(availability.type, of: company, status: document["status"]?.string),
      let id = document["id"]?.string.flatMap(UUID.init(uuidString:))
    else { return availability.allowed(on: document, answers: answers, isReferenced: isReferenced) }
    let there = try Availability(ahead, rights: rights, acting: acting, tx)
    let row = try tx.first(ahead.view(company: company, id: id, guards: there.paths), as: ViewedRow.self)
    return there.allowed(on: document, answers: row?.guards ?? [], isReferenced: isReferenced)
  }

  /// The records a query finds, as their view shows them, each with `allowed`.
  package func list(_ acting: ActingContext, type name: String, _ query: RecordQuery) async throws
    -> [JSONObject]
  {
    try await page(acting, type: name, query).records
  }

  /// A page of what a query finds, and where the next one begins.
  package func page(_ acting: ActingContext, type name: String, _ query: RecordQuery) async throws
    -> RecordPage
  {
    try await reading(acting) { tx, rights in
      let type = try self.type(name, followedBy: rights.access, of: acting.company.id, tx)
      let listing = try listing(query, of: type, acting, rights)
      let availability = try Availability(type, rights: rights, acting: acting, tx)
      let rows = try tx.rows(listing.page(asking: availability.paths), as: ListedRow.self)
      var records = try rows.prefix(query.limit).map { try $0.document.value().object ?? [:] }
      let ids = records.compactMap { $0["id"]?.string.flatMap(UUID.init(uuidString:)) }
      let blocked =
        query.deleted
        ? try DeletionReach(catalogue, company: acting.company.id).orphans(ids, of: type, tx)
        : try blocked(ids, of: type, acting, availability, tx)
      for (index, row) in rows.prefix(query.limit).enumerated() {
        let isHindered = blocked.contains(ids[index])
        let (document, answers) = (records[index], row.answers)
        let names =
          try query.deleted
          ? availability.allowed(onDeleted: document, answers: answers, isOrphan: isHindered)
          : allowed(
            on: document,
            answers: answers,
            isReferenced: isHindered,
            availability,
            acting,
            rights,
            tx
          )
        records[index]["allowed"] = .strings(names)
      }
      guard rows.count > query.limit, let last = records.last else {
        return RecordPage(records: records, next: nil)
      }
      return RecordPage(records: records, next: listing.cursor(after: last, rows[query.limit - 1].place))
    }
  }

  /// Hands on everything a query finds, one record after another, in bounded memory and as of one moment.
  ///
  /// - Parameter permission: what it takes besides reading, such as `export`.
  package func stream(
    _ acting: ActingContext,
    type name: String,
    _ query: RecordQuery,
    permission verb: String? = nil,
    _ body: @escaping @Sendable (JSONObject) throws -> Void
  ) async throws {
    let type = try catalogue.type(name)
    try await reading(acting) { tx, rights in
      if let verb, !rights.holds("\(name).\(verb).own") {
        try rights.require("\(name).\(verb)", writing: false)
      }
      let ownOnly = verb.map { !rights.holds("\(name).\($0)") } ?? false
      let listing = try listing(query, of: type, acting, rights, ownOnly: ownOnly)
      try tx.forEach(listing.all, as: JSONRow.self, fetch: 500) { row in
        if let document = try row.document.value().object { try body(document) }
      }
    }
  }

  /// By which plan PostgreSQL would answer a list, line by line; for operators.
  package func explain(_ acting: ActingContext, type name: String, _ query: RecordQuery) async throws
    -> [String]
  {
    let type = try catalogue.type(name)
    return try await reading(acting) { tx, rights in
      guard rights.isUnbound else {
        throw DomainError(.forbidden, "plans are for operators", hint: "leave out --as")
      }
      let page = try listing(query, of: type, acting, rights).page(asking: [])
      return try tx.rows("explain (costs off) \(page)", String.self)
    }
  }

  /// What the actor may list of a type.
  private func listing(
    _ query: RecordQuery,
    of type: RecordType,
    _ acting: ActingContext,
    _ rights: Rights,
    ownOnly: Bool = false
  ) throws -> RecordListing {
    let verbs = query.deleted ? ["read", "delete"] : ["read"]
    for verb in verbs where !rights.holds("\(type.name).\(verb).own") {
      try rights.require("\(type.name).\(verb)", writing: false)
    }
    let seesAll = !ownOnly && verbs.allSatisfy { rights.holds("\(type.name).\($0)") }
    return try RecordListing(query, of: type, company: acting.company.id, owner: seesAll ? nil : rights.user)
  }

  /// Those of the records that cannot be deleted because others refer to them; nobody is asked for those who could
  /// not delete anyway.
  private func blocked(
    _ ids: [UUID],
    of type: RecordType,
    _ acting: ActingContext,
    _ availability: Availability,
    _ tx: Transaction
  ) throws -> Set<UUID> {
    guard availability.mayDelete, !ids.isEmpty else { return [] }
    return try DeletionReach(catalogue, company: acting.company.id).blocked(ids, of: type, tx)
  }

  /// What happened to a record, oldest first.
  package func history(_ acting: ActingContext, type name: String, id: UUID) async throws -> [HistoryLine] {
    _ = try await show(acting, type: name, id: id)
    return try await reading(acting) { tx, _ in
      try tx.rows(
        """
        select h.seq, h.occurred_at, h.kind, h.transition, h.from_status, h.to_status, h.actor_kind, h.actor_name,
          u.name, h.comment, h.changes
        from core.history h
        left join core.app_user u on u.id = coalesce(h.on_behalf_of, h.actor_id)
        where h.company_id = \(acting.company.id) and h.record_type = \(name) and h.record_id = \(id)
        order by h.seq
        """,
        as: HistoryLine.self
      )
    }
  }

  /// The transitions the actor could take now.
  package func available(_ acting: ActingContext, type name: String, id: UUID) async throws -> [String] {
    guard try catalogue.type(name).workflow != nil else { return [] }
    return try await reading(acting) { tx, rights in
      var type = try type(name, followedBy: rights.access, of: acting.company.id, tx)
      let locked = try tx.first(type.peek(company: acting.company.id, id: id), as: LockedRow.self)
      type = next(type, of: acting.company.id, status: locked?.status) ?? type
      let view = type.view(company: acting.company.id, id: id, guards: type.guardPaths)
      let reading = try RecordReading(
        type: type,
        locked: locked,
        viewed: tx.first(view, as: ViewedRow.self),
        rights: rights
      )
      guard let workflow = type.workflow else { return [] }
      return Kernel.available(on: reading.snapshot, by: rights.kernel(acting, type), under: workflow).map(
        \.name
      )
    }
  }

  /// The id of the record that people call by a name: an id, the beginning of one, or the type's key.
  ///
  /// - Throws: `not_found` with the closest key, `invalid_input` when the beginning fits several.
  ///
  /// - Parameter deleted: among the tombstones.
  package func resolve(_ acting: ActingContext, type name: String, _ text: String, deleted: Bool = false)
    async throws
    -> UUID
  {
    if let id = UUID(uuidString: text) { return id }
    let type = try catalogue.type(name)
    return try await reading(acting) { tx, rights in
      if !rights.holds("\(name).read.own") { try rights.require("\(name).read", writing: false) }
      return try RecordName(type: type, company: acting.company.id, isDeleted: deleted).find(text, tx)
    }
  }

  /// Runs a body that reads, with the rights as they are now.
  func reading<Value: Sendable>(
    _ acting: ActingContext,
    _ body: @escaping @Sendable (Transaction, Rights) throws -> Value
  ) async throws -> Value {
    let context = acting.context(requestID: services.ids.next())
    return try await services.database.transaction(
      .inside(acting.company.id, user: acting.user, readOnly: true)
    ) { tx in
      guard let access = try tx.first(Access.query(context), as: Access.self) else {
        throw DomainError(.notFound)
      }
      let rights = try Rights(acting, access)
      guard access.companyStatus == "active" || access.companyStatus == "suspended" || rights.isUnbound else {
        throw DomainError(.companyArchived, "\(access.companySlug) is \(access.companyStatus)")
      }
      return try body(tx, rights)
    }
  }
}

extension Rights {
  /// Whether the actor may see this record of a type.
  package func mayRead(_ type: RecordType, _ document: JSONObject) -> Bool {
    if holds("\(type.name).read") { return true }
    guard let user, holds("\(type.name).read.own") else { return false }
    return (["created_by"] + type.definition.ownerFields).contains { document[$0]?.string == user.text }
  }
}

/// A row of a list.
private struct ListedRow: RowDecodable, Sendable {
  let document: JSON
  /// Its values in the columns of the order.
  let place: [String?]
  let answers: [Bool?]

  init(row: inout RowReader) throws(PostgresError) {
    document = try row.next()
    place = try row.next()
    answers = try row.next()
  }
}

/// A row of a stream.
private struct JSONRow: RowDecodable, Sendable {
  let document: JSON

  init(row: inout RowReader) throws(PostgresError) {
    document = try row.next()
  }
}
