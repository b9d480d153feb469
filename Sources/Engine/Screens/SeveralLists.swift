package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// Several lists on one page, such as the columns of a board or what is due today.
package struct SeveralLists: Sendable {
  package let frame: ScreenFrame
  /// The lists in the order in which they were asked for.
  package let lists: [Part]

  /// One of the lists.
  package struct Part: Sendable {
    package let type: RecordType
    /// The records as their view shows them, each with `allowed` if that was asked for.
    package let records: [JSONObject]
    package let names: ReferenceNames
    /// The number of all matching records, at most ``ListScreen/mostCounted`` + 1.
    package let count: Int
    /// True if the person may create records of the type.
    package let mayCreate: Bool
  }
}

extension Screens {
  /// Returns the first records of several lists in one transaction.
  ///
  /// - Parameters:
  ///   - wanted: returns the lists, given the types that the person may list. Lists of other types are an error.
  ///   - withAllowed: true to add `allowed` to each record.
  package func lists(
    _ acting: ActingContext,
    withAllowed: Bool = false,
    _ wanted: @escaping @Sendable (ScreenFrame) throws -> [(type: String, query: RecordQuery)]
  ) async throws -> SeveralLists {
    try await reading(acting) { tx, frame, rights in
      let asked = try wanted(frame).map { type, query in
        let type = try frame.type(type)
        return (type: type, query: query, listing: try records.listing(query, of: type, acting, rights))
      }
      let tickets = try tx.pipeline { pipeline in
        asked.map { part in
          (
            rows: pipeline.rows(
              part.listing.page(asking: withAllowed ? Availability.paths(of: part.type) : []),
              as: ListedRow.self
            ),
            count: pipeline.value(part.listing.count(to: ListScreen.mostCounted + 1), as: Int.self),
            entitled: Availability.entitlement(of: part.type, acting).map {
              pipeline.value($0, as: Bool.self)
            }
          )
        }
      }
      var (found, ids): ([[JSONObject]], [String: Set<UUID>]) = ([], [:])
      var mayCreate: [Bool] = []
      for (part, ticket) in zip(asked, tickets) {
        let rows = try ticket.rows.all.prefix(part.query.limit)
        var documents = try rows.map { try $0.document.value().object ?? [:] }
        let isEntitled = try ticket.entitled?.first ?? true
        mayCreate.append(Self.mayCreate(part.type, acting, rights, isEntitled: isEntitled))
        if withAllowed {
          let availability = Availability(
            part.type,
            rights: rights,
            acting: acting,
            isEntitled: isEntitled
          )
          let allowed = try records.allowed(
            on: documents,
            answers: rows.map(\.answers),
            deleted: false,
            availability,
            acting,
            rights,
            tx
          )
          for (index, names) in allowed.enumerated() { documents[index]["allowed"] = .strings(names) }
        }
        ids.merge(records.referencedIDs(of: part.type, in: documents)) { $0.union($1) }
        found.append(documents)
      }
      let names = ids.isEmpty ? .none : try records.names(of: ids, company: acting.company.id, rights, tx)
      return SeveralLists(
        frame: frame,
        lists: try asked.indices.map { index in
          SeveralLists.Part(
            type: asked[index].type,
            records: found[index],
            names: names,
            count: try tickets[index].count.first ?? 0,
            mayCreate: mayCreate[index]
          )
        }
      )
    }
  }
}
