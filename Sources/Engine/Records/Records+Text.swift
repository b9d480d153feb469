internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Store

/// Records as JSON for programs: the columns that `--output json` prints, written by PostgreSQL.
extension Records {
  /// Returns a record with `allowed`: the actions that the actor can take now. Takes one round trip.
  ///
  /// - Parameters:
  ///   - deleted: true for a tombstone, which requires the permission to delete.
  ///   - columns: the columns to return; nil for all. `allowed` is always returned.
  /// - Throws: `not_found` if there is no such record or the actor may not read it; `unknown_fields`.
  package func showText(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    deleted: Bool = false,
    columns: [String]? = nil
  ) async throws -> RecordText {
    let company = acting.company.id
    let seen = try await view(acting, type: name, id: id, deleted: deleted) { type, guards in
      // A choice is made below, because the decision requires the owners and the status.
      if let columns { _ = try type.shown(named: columns) }
      return deleted
        ? type.shownTombstone(company: company, id: id, guards: guards)
        : type.shown(company: company, id: id, guards: guards)
    }
    var text = seen.document.text
    if let columns {
      let document = try seen.document.value().object ?? [:]
      text =
        JSONValue.object(JSONObject(columns.compactMap { name in document[name].map { (name, $0) } })).text
    }
    return RecordText(
      text: RecordText.splicing(seen.allowed, as: "allowed", into: text),
      version: seen.version,
      epoch: seen.epoch
    )
  }

  /// Returns a page of the matching records.
  ///
  /// Takes one round trip; with `allowed` a second one, if references may block a deletion. The first request of
  /// an actor who sees only their own records takes one more.
  ///
  /// - Parameters:
  ///   - columns: the columns to return; nil for all.
  ///   - includesAllowed: true to add `allowed` to each record.
  /// - Throws: as ``page(_:type:_:)``.
  package func pageText(
    _ acting: ActingContext,
    type name: String,
    _ query: RecordQuery,
    columns: [String]? = nil,
    includesAllowed: Bool = false
  ) async throws -> RecordTextPage {
    let verbs = query.deleted ? ["read", "delete"] : ["read"]
    return try await asking(acting, type: name, byFilter: true, keepsOpen: includesAllowed) {
      type,
      pipeline in
      let seesAll = verbs.allSatisfy { rightsKnown.mayHold("\(name).\($0)", acting) }
      let listing = try RecordListing(
        query,
        of: type,
        company: acting.company.id,
        owner: seesAll ? nil : acting.user
      )
      let paths = includesAllowed ? Availability.paths(of: type) : []
      let shown = try columns.map { try type.shown(named: $0) } ?? type.shownColumns
      let statement = listing.texts(shown, withDocuments: includesAllowed, asking: paths)
      if listing.isPlain { pipeline.execute(RecordListing.ordered) }
      return (
        listing: listing,
        seesAll: seesAll,
        rows: pipeline.rows(statement, as: ListedText.self),
        entitlement: includesAllowed
          ? Availability.entitlement(of: type, acting).map { pipeline.value($0, as: Bool.self) } : nil
      )
    } _: { tx, type, rights, tickets in
      guard try rights.requireList(of: type, deleted: query.deleted) == tickets.seesAll else {
        throw AskAgain()
      }
      let listed = try tickets.rows.all
      let rows = listed.prefix(query.limit)
      var next: String?
      if listed.count > query.limit, let last = rows.last {
        next = tickets.listing.cursor(after: last.id, last.place)
      }
      guard includesAllowed else { return RecordTextPage(records: rows.map(\.text), next: next) }
      let isEntitled = try tickets.entitlement?.first ?? true
      let availability = Availability(type, rights: rights, acting: acting, isEntitled: isEntitled)
      let documents = try rows.map { try $0.document?.value().object ?? [:] }
      let isMoving = documents.contains {
        self.next(type, of: acting.company.id, status: $0["status"]?.string) != nil
      }
      let statement = try hindering(rows.map(\.id), of: type, acting, availability, deleted: query.deleted)
      // A record that an activation has moved needs more queries.
      let found = try isMoving ? tx.pipeline { ask(statement, &$0) } : tx.commit { ask(statement, &$0) }
      let blocked = Set(try found?.all ?? [])
      let texts = try zip(rows, documents).map { row, document in
        let names = try allowed(
          on: document,
          answers: row.answers,
          isHindered: blocked.contains(row.id),
          deleted: query.deleted,
          availability,
          acting,
          rights,
          tx
        )
        return RecordText.splicing(names, as: "allowed", into: row.text)
      }
      return RecordTextPage(records: texts, next: next)
    }
  }
}

extension RecordType {
  /// Returns the shown columns with these names.
  ///
  /// - Throws: `unknown_fields` with the closest name as a hint.
  func shown(named names: [String]) throws(DomainError) -> [Column] {
    let known = shownColumns
    return try names.map { (name) throws(DomainError) in
      try RecordListing.column(name, among: known, of: self)
    }
  }
}

private func ask(_ statement: SQL?, _ pipeline: inout Pipeline) -> Ticket<UUID>? {
  statement.map { pipeline.value($0, as: UUID.self) }
}

/// A row of a list as JSON.
private struct ListedText: RowDecodable, Sendable {
  let text: String
  let id: UUID
  /// The row's sort values as text; nil for null.
  let place: [String?]
  let answers: [Bool?]
  /// The whole row of the view, if the possible actions are asked.
  let document: JSON?

  init(row: inout RowReader) throws(PostgresError) {
    let body: JSON = try row.next()
    text = body.text
    id = try row.next()
    place = try row.next()
    answers = try row.next()
    document = try row.next()
  }
}
