package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// One record with what has happened to it, its files, and the records that refer to it.
package struct RecordScreen: Sendable {
  package let frame: ScreenFrame
  package let type: RecordType
  /// The record as its view shows it, with `allowed`.
  package let record: JSONObject
  package let names: ReferenceNames
  /// The entries of the history, newest first.
  package let history: [HistoryLine]
  /// The number after which older entries are found; nil if there are none.
  package let older: Int64?
  /// The comments, oldest first.
  package let comments: [CommentRow]
  package let files: [AttachmentRow]
  /// True if the person may add a file.
  package let mayAttach: Bool
  package let related: [Related]

  /// The newest records of another type that refer to the record.
  package struct Related: Sendable {
    package let type: RecordType
    /// The column by which they refer to it.
    package let column: String
    package let records: [JSONObject]
    package let names: ReferenceNames
    /// The number of all of them, at most ``ListScreen/mostCounted`` + 1.
    package let count: Int
    package let mayCreate: Bool
  }

  /// The entries of the history on one page.
  package static let historyLength = 50
  /// The related records that are shown of each type.
  package static let mostRelated = 5
  /// The newest records of a thread, and the records of a plan by days, that are shown.
  package static let longestThread = 50
}

extension RecordType {
  /// True if its records are only ever added and are long texts, like the messages of a conversation.
  package var isThread: Bool {
    definition.sync == .appendOnly && (definition.limits[definition.titleField] ?? 0) >= 1_000
  }

  /// True if its records belong to days of a plan.
  package var hasDays: Bool { ["day_no", "position"].allSatisfy(definition.sort.contains) }

  /// The order and number in which the page of another record shows them; nil for the newest first.
  fileprivate var relatedOrder: (sort: String?, limit: Int) {
    if isThread { return (definition.sort.first.map { "-\($0)" }, RecordScreen.longestThread) }
    if hasDays { return ("day_no,position", RecordScreen.longestThread) }
    return (nil, RecordScreen.mostRelated)
  }
}

extension Screens {
  /// Returns a record that is named by its id, its number or its key.
  ///
  /// - Parameters:
  ///   - before: the number of the history's entry before which the page ends; nil for the newest entries.
  ///   - isWhole: false to leave out history, comments, files and related records.
  ///   - deleted: true for a deleted record as its table has it, which requires the permission to delete it; its `allowed`
  ///     says whether it can be restored now.
  /// - Throws: `not_found` also for a record that the person may not read.
  package func record(
    _ acting: ActingContext,
    type name: String,
    _ text: String,
    before: Int64? = nil,
    isWhole: Bool = true,
    deleted: Bool = false
  ) async throws -> RecordScreen {
    try await reading(acting) { tx, frame, rights in
      let type = try frame.type(name)
      let company = acting.company.id
      let id = try Self.id(text, of: type, company, tx, deleted: deleted)
      let reach = DeletionReach(records.catalogue, company: company)
      let hindered =
        rights.holds("\(name).delete.own") ? try reach.hindered([id], of: type, deleted: deleted) : nil
      let paths = Availability.paths(of: type)
      let shown =
        deleted
        ? type.tombstone(company: company, id: id, guards: paths)
        : type.view(company: company, id: id, guards: paths)
      let tickets = try tx.pipeline { pipeline in
        (
          view: pipeline.rows(shown, as: ViewedRow.self),
          entitled: Availability.entitlement(of: type, acting).map { pipeline.value($0, as: Bool.self) },
          hindered: hindered.map { pipeline.rows($0, UUID.self) }
        )
      }
      guard let row = try tickets.view.first, let document = try row.document.value().object,
        deleted ? rights.canReadDeleted(type, document) : rights.canRead(type, document)
      else { throw Self.unknown(type) }
      let availability = Availability(
        type,
        rights: rights,
        acting: acting,
        isEntitled: try tickets.entitled?.first ?? true
      )
      var record = document
      record["allowed"] = .strings(
        try records.allowed(
          on: document,
          answers: row.guards,
          isHindered: try tickets.hindered?.first != nil,
          deleted: deleted,
          availability,
          acting,
          rights,
          tx
        )
      )
      guard isWhole else {
        let ids = records.referencedIDs(of: type, in: [record])
        return RecordScreen(
          frame: frame,
          type: type,
          record: record,
          names: try records.names(of: ids, company: company, rights, tx),
          history: [],
          older: nil,
          comments: [],
          files: [],
          mayAttach: false,
          related: []
        )
      }
      let mayAttach = !deleted && availability.mayAttach(to: document, answers: row.guards)
      return try whole(record, id, type, frame, mayAttach: mayAttach, before: before, acting, rights, tx)
    }
  }

  /// The error for a record that does not exist or that the person may not read.
  static func unknown(_ type: RecordType) -> DomainError {
    DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
  }

  static func id(
    _ text: String,
    of type: RecordType,
    _ company: UUID,
    _ tx: Transaction,
    deleted: Bool = false
  ) throws -> UUID {
    if let id = UUID(text: text) { return id }
    do {
      return try RecordName(type: type, company: "\(company)", isDeleted: deleted).find(text, tx)
    } catch let error as DomainError where [.notFound, .invalidInput].contains(error.code) {
      // The hints of these name records that the person may not read.
      throw unknown(type)
    }
  }

  private func whole(
    _ record: JSONObject,
    _ id: UUID,
    _ type: RecordType,
    _ frame: ScreenFrame,
    mayAttach: Bool,
    before: Int64?,
    _ acting: ActingContext,
    _ rights: Rights,
    _ tx: Transaction
  ) throws -> RecordScreen {
    let company = acting.company.id
    let referrers = try referrers(to: type, id, frame, acting, rights)
    let (history, comments, files, found) = try tx.pipeline { pipeline in
      (
        pipeline.rows(Self.history(company, type.name, id, before: before), as: HistoryLine.self),
        pipeline.rows(CommentStore.all(company: company, type: type.name, record: id), as: CommentRow.self),
        pipeline.rows(
          AttachmentStore.all(company: company, type: type.name, record: id),
          as: AttachmentRow.self
        ),
        referrers.map { referrer in
          (
            rows: pipeline.rows(referrer.listing.page(asking: []), as: ListedRow.self),
            count: pipeline.value(referrer.listing.count(to: ListScreen.mostCounted + 1), as: Int.self),
            entitled: Availability.entitlement(of: referrer.type, acting).map {
              pipeline.value($0, as: Bool.self)
            }
          )
        }
      )
    }
    let documents = try found.map {
      try $0.rows.all.prefix(RecordScreen.longestThread).map { try $0.document.value().object ?? [:] }
    }
    var ids = records.referencedIDs(of: type, in: [record])
    for (referrer, documents) in zip(referrers, documents) {
      ids.merge(records.referencedIDs(of: referrer.type, in: documents)) { $0.union($1) }
    }
    let lines = try history.all
    for id in lines.prefix(RecordScreen.historyLength).flatMap({ Self.references(in: $0, of: type) }) {
      ids[id.target, default: []].insert(id.id)
    }
    let names = try records.names(of: ids, company: company, rights, tx)
    let related = try zip(referrers.indices, documents).map { index, documents in
      RecordScreen.Related(
        type: referrers[index].type,
        column: referrers[index].column,
        records: documents,
        names: names,
        count: try found[index].count.first ?? 0,
        mayCreate: Self.mayCreate(
          referrers[index].type,
          acting,
          rights,
          isEntitled: try found[index].entitled?.first ?? true
        )
      )
    }
    return RecordScreen(
      frame: frame,
      type: type,
      record: record,
      names: names,
      history: Array(lines.prefix(RecordScreen.historyLength)),
      older: lines.count > RecordScreen.historyLength ? lines[RecordScreen.historyLength - 1].seq : nil,
      comments: try comments.all,
      files: try files.all,
      mayAttach: mayAttach,
      related: related
    )
  }

  /// The lists of records that refer to a record, of the types that the person may list.
  private func referrers(
    to type: RecordType,
    _ id: UUID,
    _ frame: ScreenFrame,
    _ acting: ActingContext,
    _ rights: Rights
  ) throws -> [(type: RecordType, column: String, listing: RecordListing)] {
    try frame.types.flatMap { other in
      try other.definition.references.filter { $0.target == type.name }.map { reference in
        var query = RecordQuery()
        query.conditions = [RecordCondition(reference.column, .equal, id.text)]
        (query.sort, query.limit) = other.relatedOrder
        let listing = try records.listing(query, of: other, acting, rights)
        return (type: other, column: reference.column, listing: listing)
      }
    }
  }

  private static func history(_ company: UUID, _ type: String, _ id: UUID, before: Int64?) -> SQL {
    """
    select h.seq, h.occurred_at, h.kind, h.transition, h.from_status, h.to_status, h.actor_kind, h.actor_name,
      core.name_at(coalesce(h.on_behalf_of, h.actor_id), h.occurred_at), h.comment, h.changes
    from core.history h
    where h.company_id = \(company) and h.record_type = \(type) and h.record_id = \(id)
      and h.seq < \(before ?? .max)
    order by h.seq desc
    limit \(RecordScreen.historyLength + 1)
    """
  }

  /// The records and members that an entry of the history names by id.
  private static func references(in line: HistoryLine, of type: RecordType) -> [(target: String, id: UUID)] {
    guard let changes = (try? line.changes.value())?.object else { return [] }
    return type.referenceTargets.flatMap { column, target in
      (changes[column]?.array ?? []).compactMap { value in
        value.string.flatMap(UUID.init(text:)).map { (target, $0) }
      }
    }
  }
}
