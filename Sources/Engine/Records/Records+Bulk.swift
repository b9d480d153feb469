package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Records {
  /// Applies a transition to every visible record that a filter matches, up to the query's limit, in one
  /// transaction.
  ///
  /// A refused record stays unchanged and does not affect the others. History, timers, jobs and notices are
  /// the same as for single transitions. An operator's audit has one entry for all records.
  ///
  /// - Parameter progress: called after every 250 records with the numbers of decided and of matching
  ///   records.
  /// - Throws: `invalid_input` if the request has an expected version.
  package func transitionAll(
    _ acting: ActingContext,
    type name: String,
    where query: RecordQuery,
    request: TransitionRequest,
    key: String? = nil,
    dryRun: Bool = false,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> BulkOutcome {
    guard request.expectedVersion == nil else {
      throw DomainError(
        .invalidInput,
        "an expected version requires a single record",
        hint: "leave out --if-version"
      )
    }
    let subject = Self.subject(name, query)
    let context = acting.context(
      requestID: services.ids.next(),
      idempotency: try key.map { ($0, SHA256.hash("\(subject)\n\(try JSON(encoding: request).text)")) }
    )
    let outcome = try await explaining {
      try await work.perform(context, dryRun: dryRun) { work in
        try transitionAll(acting, type: name, where: query, request: request, in: &work, progress: progress)
      }
    }
    await recordDenials(outcome, context)
    return outcome
  }

  /// Returns the text of a type's records that a query selects, for the hash of a request.
  static func subject(_ name: String, _ query: RecordQuery) -> String {
    let conditions =
      query.filters.map { "\($0.column)=\($0.value)" }
      + query.conditions.map { "\($0.column) \($0.comparison.rawValue) \($0.values)" }
    return
      "all \(name)\n\(conditions.sorted().joined(separator: "\n"))\n\(query.search ?? "")\n\(query.limit)"
  }

  /// Records each kind of denial once.
  func recordDenials(_ outcome: BulkOutcome, _ context: WorkContext) async {
    let denied = Set(outcome.items.compactMap(\.code).filter { $0.category == .denied })
    for code in denied.sorted(by: { $0.rawValue < $1.rawValue }) {
      await services.denials.record(code, context)
    }
  }

  private func transitionAll(
    _ acting: ActingContext,
    type name: String,
    where query: RecordQuery,
    request: TransitionRequest,
    in work: inout Work,
    progress: (Int, Int) -> Void
  ) throws -> BulkOutcome {
    let (type, access, tickets) = try read(name, acting, in: &work) { type, pipeline in
      let ids = try RecordListing(query, of: type, company: acting.company.id, owner: nil).ids
      let needs = TransitionNeeds(of: request, type: type, hasRule: rules[name] != nil)
      let lock = type.lock(company: acting.company.id, ids: ids, reading: needs.isInRow ? needs.columns : [])
      return (needs: needs, locked: pipeline.rows(lock, as: LockedRecord.self))
    }
    let rights = try Rights(acting, access)
    try rights.requireRead(type)
    guard type.workflow != nil else {
      throw DomainError(.unknownTransition, "\(type.name) has no workflow")
    }
    try FieldCheck(type: type, rule: rules[name]).require(request.fields)
    try requireMembers(in: request.fields, of: type, acting, in: work)
    let bulk = BulkTransition(
      records: self,
      type: type,
      request: request,
      needs: tickets.needs,
      acting: acting,
      rights: rights
    )
    let found = try tickets.locked.affected
    var outcome = BulkOutcome()
    var prepared: BulkTransition.Part?
    func prepare(_ start: Int, _ work: inout Work) throws -> BulkTransition.Part {
      let rows = start..<min(start + BulkTransition.size, found)
      return try bulk.part(of: tickets.locked.rows(rows), from: start, in: &work)
    }
    for start in stride(from: 0, to: found, by: BulkTransition.size) {
      let next = start + BulkTransition.size
      let part = try prepared ?? prepare(start, &work)
      prepared = nil
      outcome.items += try bulk.write(part, in: &work) { work in
        if next < found { prepared = try prepare(next, &work) }
      }
      progress(outcome.items.count, found)
    }
    if acting.actor.kind == .operator, outcome.done > 0 {
      let detail: JSONObject = ["records": .integer(outcome.done), "refused": .integer(outcome.refused)]
      work.changes.audit.append(
        AuditEntry(
          action: "record.\(request.transition)",
          subjectType: name,
          subjectID: "",
          detail: JSON(detail)
        )
      )
    }
    return outcome
  }
}
