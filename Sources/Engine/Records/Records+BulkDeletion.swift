internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Records {
  /// Deletes every visible record that a filter matches, up to the query's limit, in one transaction, with what cascades
  /// from each.
  ///
  /// A refused record stays unchanged and does not affect the others. An operator's audit has one entry for all records.
  ///
  /// - Parameter comment: the reason, for the history of each record.
  package func deleteAll(
    _ acting: ActingContext,
    type name: String,
    where query: RecordQuery,
    comment: String? = nil,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> BulkOutcome {
    let request = "delete \(Self.subject(name, query))\n\(comment ?? "")"
    let context = acting.context(
      requestID: services.ids.next(),
      idempotency: key.map { ($0, SHA256.hash(request)) }
    )
    let outcome = try await explaining {
      try await work.perform(context, dryRun: dryRun) { work in
        try deleteAll(acting, type: name, where: query, comment: comment, in: &work)
      }
    }
    await recordDenials(outcome, context)
    return outcome
  }

  private func deleteAll(
    _ acting: ActingContext,
    type name: String,
    where query: RecordQuery,
    comment: String?,
    in work: inout Work
  ) throws -> BulkOutcome {
    let (type, access, found) = try read(name, acting, in: &work) { type, pipeline in
      pipeline.rows(try RecordListing(query, of: type, company: acting.company.id, owner: nil).ids, UUID.self)
    }
    try Rights(acting, access).requireRead(type)
    let ids = try found.all.inLockOrder
    let names = try names(of: ids, type, acting, work)
    let requests = ids.enumerated().map { place, id in
      ChangeRequest(no: Int64(place), operation: .delete(type: name, id: id, comment: comment))
    }
    let outcomes = try applyEach(requests, isCareful: true, acting, in: &work)
    var outcome = BulkOutcome()
    for (place, id) in ids.enumerated() {
      guard let one = outcomes[Int64(place)] else { continue }
      // Invisible to the actor, or deleted along with a record before it.
      if case .refused(let error, _) = one, error.code == .notFound { continue }
      outcome.items.append(BulkOutcome.Item(id, names[id], one))
    }
    if acting.actor.kind == .operator, outcome.done > 0 {
      let detail: JSONObject = ["records": .integer(outcome.done), "refused": .integer(outcome.refused)]
      work.changes.audit.append(
        AuditEntry(action: "record.delete", subjectType: name, subjectID: "", detail: JSON(detail))
      )
    }
    return outcome
  }

  /// Returns the display names of records for messages: the number or the key; records without a name are left out.
  func names(
    of ids: [UUID],
    _ type: RecordType,
    _ acting: ActingContext,
    _ work: Work
  ) throws -> [UUID: String] {
    let columns = type.definition.nameColumns.compactMap { type.column($0) }
    guard !ids.isEmpty, !columns.isEmpty else { return [:] }
    let texts = SQL.joined(columns.map { "nullif(t.\(identifier: $0.name)::text, '')" }, separator: ", ")
    let rows = try work.transaction.rows(
      """
      select t.id, left(coalesce(\(texts)), 60) from \(type.table) t
      where t.company_id = \(acting.company.id) and t.id = any (\(ids)) and coalesce(\(texts)) is not null
      """,
      UUID.self,
      String.self
    )
    return Dictionary(rows) { first, _ in first }
  }
}
