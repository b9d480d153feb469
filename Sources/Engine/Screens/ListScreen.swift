package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// A page of records of one type.
package struct ListScreen: Sendable {
  package let frame: ScreenFrame
  package let type: RecordType
  /// The records as their view shows them, each with `allowed`.
  package let records: [JSONObject]
  /// The names of the references in the records.
  package let names: ReferenceNames
  /// The cursor of the next page; nil on the last one.
  package let next: String?
  /// The number of all matching records, at most ``mostCounted`` + 1.
  package let count: Int
  /// True if the person may create records of the type.
  package let mayCreate: Bool
  /// The lists of the type that the person or the company has saved.
  package let views: [SavedViews.Row]

  /// The number up to which records are counted.
  package static let mostCounted = 1_000
}

extension Screens {
  /// Returns a page of records.
  ///
  /// - Throws: `not_found` for a type that the person may not list, and the errors of the query.
  package func list(_ acting: ActingContext, type name: String, _ query: RecordQuery) async throws
    -> ListScreen
  {
    try await reading(acting) { tx, frame, rights in
      let type = try frame.type(name)
      let listing = try records.listing(query, of: type, acting, rights)
      let tickets = try tx.pipeline { pipeline in
        (
          entitled: Availability.entitlement(of: type, acting).map { pipeline.value($0, as: Bool.self) },
          rows: pipeline.rows(listing.page(asking: Availability.paths(of: type)), as: ListedRow.self),
          count: pipeline.value(listing.count(to: ListScreen.mostCounted + 1), as: Int.self),
          views: pipeline.rows(SavedViews.query(acting, .list, subject: type.name), as: SavedViews.Row.self)
        )
      }
      let availability = Availability(
        type,
        rights: rights,
        acting: acting,
        isEntitled: try tickets.entitled?.first ?? true
      )
      let listed = try tickets.rows.all
      let rows = listed.prefix(query.limit)
      var documents = try rows.map { try $0.document.value().object ?? [:] }
      let allowed = try records.allowed(
        on: documents,
        answers: rows.map(\.answers),
        deleted: query.deleted,
        availability,
        acting,
        rights,
        tx
      )
      for (index, names) in allowed.enumerated() { documents[index]["allowed"] = .strings(names) }
      let ids = records.referencedIDs(of: type, in: documents)
      return ListScreen(
        frame: frame,
        type: type,
        records: documents,
        names: try records.names(of: ids, company: acting.company.id, rights, tx),
        next: listed.count > query.limit
          ? documents.last.flatMap { listing.cursor(after: $0, listed[query.limit - 1].place) } : nil,
        count: try tickets.count.first ?? 0,
        mayCreate: Self.mayCreate(type, acting, rights, isEntitled: availability.isEntitled),
        views: try tickets.views.all
      )
    }
  }

  /// True if the person may create records of a type now, so that a page may offer it.
  ///
  /// - Parameter isEntitled: the result of the query ``Availability/entitlement(of:_:)``; true if there is none.
  static func mayCreate(
    _ type: RecordType,
    _ acting: ActingContext,
    _ rights: Rights,
    isEntitled: Bool
  ) -> Bool {
    isEntitled && type.isCreatedAsRecord && !type.definition.creatable.isEmpty
      && (try? type.rules.requireCreate([:], by: rights.kernel(acting, type))) != nil
  }
}
