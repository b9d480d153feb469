package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Records {
  /// Returns a record as its view shows it, with `allowed`: the actions that the actor can take now.
  ///
  /// - Parameter deleted: true to show a tombstone instead of a live record. It requires the permission to delete.
  /// - Throws: `not_found` if there is no such record or the actor may not read it.
  package func show(_ acting: ActingContext, type name: String, id: UUID, deleted: Bool = false) async throws
    -> JSONObject
  {
    let company = acting.company.id
    let seen = try await view(acting, type: name, id: id, deleted: deleted) { type, guards in
      deleted
        ? type.tombstone(company: company, id: id, guards: guards)
        : type.view(company: company, id: id, guards: guards)
    }
    var document = try seen.document.value().object ?? [:]
    document["allowed"] = .strings(seen.allowed)
    return document
  }

  /// Returns the records that match a query, up to its limit, as their view shows them, each with `allowed`.
  package func list(_ acting: ActingContext, type name: String, _ query: RecordQuery) async throws
    -> [JSONObject]
  {
    try await page(acting, type: name, query).records
  }

  /// Returns a page of the matching records and the cursor of the next page.
  package func page(_ acting: ActingContext, type name: String, _ query: RecordQuery) async throws
    -> RecordPage
  {
    try await reading(acting) { tx, rights in
      let type = try self.type(name, followedBy: rights.access, of: acting.company.id, tx)
      let listing = try listing(query, of: type, acting, rights)
      let (entitled, listed) = try tx.pipeline { pipeline in
        (
          Availability.entitlement(of: type, acting).map { pipeline.value($0, as: Bool.self) },
          pipeline.rows(listing.page(asking: Availability.paths(of: type)), as: ListedRow.self)
        )
      }
      let availability = Availability(
        type,
        rights: rights,
        acting: acting,
        isEntitled: try entitled?.first ?? true
      )
      let rows = try listed.all
      let shown = rows.prefix(query.limit)
      var records = try shown.map { try $0.document.value().object ?? [:] }
      let allowed = try allowed(
        on: records,
        answers: shown.map(\.answers),
        deleted: query.deleted,
        availability,
        acting,
        rights,
        tx
      )
      for (index, names) in allowed.enumerated() { records[index]["allowed"] = .strings(names) }
      guard rows.count > query.limit, let last = records.last else {
        return RecordPage(records: records, next: nil)
      }
      return RecordPage(records: records, next: listing.cursor(after: last, rows[query.limit - 1].place))
    }
  }

  /// Streams all matching records one by one from one snapshot, in bounded memory; the query's limit is
  /// ignored.
  ///
  /// - Parameter permission: a verb required besides reading, such as `export`. With only the verb's `.own`
  ///   permission, the actor's own records are streamed.
  package func stream(
    _ acting: ActingContext,
    type name: String,
    _ query: RecordQuery,
    permission verb: String? = nil,
    _ body: @escaping @Sendable (JSONObject) throws -> Void
  ) async throws {
    let type = try catalogue.type(name)
    try await reading(acting) { tx, rights in
      try rights.requireApp(of: type)
      if let verb, !rights.holds("\(name).\(verb).own") {
        try rights.require("\(name).\(verb)", for: .read)
      }
      let ownOnly = verb.map { !rights.holds("\(name).\($0)") } ?? false
      let listing = try listing(query, of: type, acting, rights, ownOnly: ownOnly)
      try tx.forEach(listing.all, as: JSONRow.self, fetch: 500) { row in
        if let document = try row.document.value().object { try body(document) }
      }
    }
  }

  /// Returns the lines of PostgreSQL's query plan for a list.
  ///
  /// - Throws: `forbidden` unless an operator acts in their own name.
  package func explain(_ acting: ActingContext, type name: String, _ query: RecordQuery) async throws
    -> [String]
  {
    let type = try catalogue.type(name)
    return try await reading(acting) { tx, rights in
      guard rights.isUnrestricted else {
        throw DomainError(.forbidden, "plans are for operators", hint: "leave out --as")
      }
      let page = try listing(query, of: type, acting, rights).page(asking: [])
      return try tx.rows("explain (costs off) \(page)", String.self)
    }
  }

  /// Returns the possible actions on each of some records, which their view has shown.
  func allowed(
    on documents: [JSONObject],
    answers: [[Bool?]],
    deleted: Bool,
    _ availability: Availability,
    _ acting: ActingContext,
    _ rights: Rights,
    _ tx: Transaction
  ) throws -> [[String]] {
    let ids = documents.map { $0["id"]?.string.flatMap(UUID.init(text:)) }
    let statement = try hindering(
      ids.compactMap(\.self),
      of: availability.type,
      acting,
      availability,
      deleted: deleted
    )
    let found: [UUID] = try statement.map { try tx.rows($0, UUID.self) } ?? []
    let blocked = Set(found)
    return try documents.indices.map { index in
      try allowed(
        on: documents[index],
        answers: answers[index],
        isHindered: ids[index].map(blocked.contains) ?? false,
        deleted: deleted,
        availability,
        acting,
        rights,
        tx
      )
    }
  }

  /// Returns the listing restricted to the records that the actor may read.
  func listing(
    _ query: RecordQuery,
    of type: RecordType,
    _ acting: ActingContext,
    _ rights: Rights,
    ownOnly: Bool = false
  ) throws -> RecordListing {
    let seesAll = try rights.requireList(of: type, deleted: query.deleted) && !ownOnly
    return try RecordListing(query, of: type, company: acting.company.id, owner: seesAll ? nil : rights.user)
  }

  /// Returns the statement that selects the ids among `ids` which cannot be deleted or, for tombstones, restored
  /// because of other records; nil if the actor may not delete, or if nothing can block it.
  func hindering(
    _ ids: [UUID],
    of type: RecordType,
    _ acting: ActingContext,
    _ availability: Availability,
    deleted: Bool
  ) throws -> SQL? {
    guard deleted || availability.mayDelete else { return nil }
    return try DeletionReach(catalogue, company: acting.company.id).hindered(ids, of: type, deleted: deleted)
  }

  /// Returns the possible actions on a record. If an activation has already moved a live record, the new version
  /// of the workflow decides.
  func allowed(
    on document: JSONObject,
    answers: [Bool?],
    isHindered: Bool,
    deleted: Bool,
    _ availability: Availability,
    _ acting: ActingContext,
    _ rights: Rights,
    _ tx: Transaction
  ) throws -> [String] {
    guard !deleted else {
      return availability.allowed(onDeleted: document, answers: answers, isOrphan: isHindered)
    }
    let company = acting.company.id
    guard let ahead = next(availability.type, of: company, status: document["status"]?.string),
      let id = document["id"]?.string.flatMap(UUID.init(text:))
    else { return availability.allowed(on: document, answers: answers, isReferenced: isHindered) }
    let there = Availability(
      ahead,
      rights: rights,
      acting: acting,
      isEntitled: availability.isEntitled
    )
    let row = try tx.first(ahead.view(company: company, id: id, guards: there.paths), as: ViewedRow.self)
    return there.allowed(on: document, answers: row?.guards ?? [], isReferenced: isHindered)
  }

  /// Returns the history of a record, oldest first, in one round trip.
  ///
  /// - Parameters:
  ///   - place: the number of the entry before the first one; 0 begins with the oldest.
  ///   - limit: the maximum number of entries; nil for all.
  ///   - deleted: true for a deleted record, which requires the permission to delete it.
  /// - Throws: `not_found` if the actor may not read the record.
  package func history(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    after place: Int64 = 0,
    limit: Int? = nil,
    deleted: Bool = false
  ) async throws -> [HistoryLine] {
    let company = acting.company.id
    return try await about(acting, type: name, id: id, deleted: deleted, as: HistoryLine.self) {
      """
      select h.seq, h.occurred_at, h.kind, h.transition, h.from_status, h.to_status, h.actor_kind, h.actor_name,
        core.name_at(coalesce(h.on_behalf_of, h.actor_id), h.occurred_at), h.comment, h.changes
      from core.history h
      where h.company_id = \(company) and h.record_type = \(name) and h.record_id = \(id) and h.seq > \(place)
      order by h.seq
      limit \(nullable: limit.map(Int64.init))
      """
    }
  }

  /// Requires a live record that the actor may read.
  ///
  /// - Throws: `not_found`.
  func requireReadable(_ acting: ActingContext, type name: String, id: UUID) async throws {
    let company = acting.company.id
    try await asking(acting, type: name) { type, pipeline in
      pipeline.rows(type.view(company: company, id: id, guards: []), as: ViewedRow.self)
    } _: { _, type, rights, view in
      try rights.requireRead(view.first, of: type)
    }
  }

  /// Returns rows about a record that the actor may read, in one round trip.
  ///
  /// - Parameter deleted: true for a deleted record; false for a live one.
  /// - Throws: `not_found` if there is no such record or the actor may not read it.
  func about<Row: RowDecodable & Sendable>(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    deleted: Bool = false,
    as row: Row.Type,
    _ statement: @escaping @Sendable () -> SQL
  ) async throws -> [Row] {
    let company = acting.company.id
    return try await asking(acting, type: name) { type, pipeline in
      let view =
        deleted
        ? type.tombstone(company: company, id: id, guards: [])
        : type.view(company: company, id: id, guards: [])
      return (
        view: pipeline.rows(view, as: ViewedRow.self), rows: pipeline.rows(statement(), as: Row.self)
      )
    } _: { _, type, rights, tickets in
      try rights.requireRead(tickets.view.first, of: type, deleted: deleted)
      return try tickets.rows.all
    }
  }

  /// Returns the names of the transitions that the actor can take now; empty for a type without a workflow.
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

  /// Returns the id of a record named by its number, its key, its id or the beginning of its id.
  ///
  /// A complete id is returned without a lookup.
  ///
  /// - Parameter deleted: true to search the tombstones.
  /// - Throws: `not_found` with the closest name as a hint, `invalid_input` if several records match.
  package func resolve(_ acting: ActingContext, type name: String, _ text: String, deleted: Bool = false)
    async throws
    -> UUID
  {
    if let id = UUID(text: text) { return id }
    let type = try catalogue.type(name)
    return try await reading(acting) { tx, rights in
      try rights.requireRead(type)
      let name = RecordName(type: type, company: "\(acting.company.id)", isDeleted: deleted)
      do {
        let id = try name.find(text, tx)
        guard try deleted || rights.mayRefer(to: type) || mayRead(id, type, acting, rights, tx) else {
          throw DomainError(.notFound, "there is no \(type.definition.label.lowercased()) \(Quoted(text))")
        }
        return id
      } catch let error as DomainError where error.code == .notFound && !deleted {
        // Who may read all records of the type may know that there was one.
        if rights.holds("\(type.name).read") { try name.requireNotDeleted(text, tx) }
        throw error
      }
    }
  }

  private func mayRead(
    _ id: UUID,
    _ type: RecordType,
    _ acting: ActingContext,
    _ rights: Rights,
    _ tx: Transaction
  ) throws -> Bool {
    let statement = type.shown(company: acting.company.id, id: id, guards: [])
    guard let shown = try tx.first(statement, as: ViewedRow.self) else { return false }
    return rights.canRead(type, try shown.document.value().object ?? [:])
  }

  /// Runs a read-only body with the actor's current rights.
  func reading<Value: Sendable>(
    _ acting: ActingContext,
    _ body: @escaping @Sendable (Transaction, Rights) throws -> Value
  ) async throws -> Value {
    try await reading(acting, { _ in }, { tx, rights, _ in try body(tx, rights) })
  }

  /// Runs a read-only body with the actor's current rights and the results of the queries that `queue` adds
  /// to the first round trip.
  func reading<Tickets, Value: Sendable>(
    _ acting: ActingContext,
    _ queue: @escaping @Sendable (inout Pipeline) throws -> Tickets,
    _ body: @escaping @Sendable (Transaction, Rights, Tickets) throws -> Value
  ) async throws -> Value {
    let (context, catalogue) = (acting.context(requestID: services.ids.next()), catalogue)
    let options = TransactionOptions.inside(acting.company.id, user: acting.user, readOnly: true)
    return try await services.denials.watching(context) {
      try await services.database.transaction(options) { tx in
        let (access, tickets) = try tx.pipeline { pipeline in
          (AccessTicket(context, catalogue, &pipeline), try queue(&pipeline))
        }
        guard let access = try access.first else { throw DomainError(.notFound, "there is no such company") }
        let rights = try Rights(acting, access)
        try rights.requireCompany(permits: .read)
        return try body(tx, rights, tickets)
      }
    }
  }
}

extension Rights {
  /// Requires a record that the actor may read, given its row.
  ///
  /// - Throws: `not_found`.
  fileprivate func requireRead(_ row: ViewedRow?, of type: RecordType, deleted: Bool = false) throws {
    try requireApp(of: type)
    guard let document = try row?.document.value().object,
      deleted ? canReadDeleted(type, document) : canRead(type, document)
    else {
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
  }

  /// Requires that the actor may list records of a type.
  ///
  /// - Parameter deleted: true to list tombstones, which requires the permission to delete.
  /// - Returns: true if the actor may list all of them, false if only their own.
  /// - Throws: `forbidden`, or the error of the company's status.
  func requireList(of type: RecordType, deleted: Bool) throws -> Bool {
    try requireRead(type)
    let verbs = deleted ? ["read", "delete"] : ["read"]
    for verb in verbs where !holds("\(type.name).\(verb).own") {
      try require("\(type.name).\(verb)", for: .read)
    }
    return verbs.allSatisfy { holds("\(type.name).\($0)") }
  }
}

/// A row of a stream.
private struct JSONRow: RowDecodable, Sendable {
  let document: JSON

  init(row: inout RowReader) throws(PostgresError) {
    document = try row.next()
  }
}
