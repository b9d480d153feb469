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
    let conditions =
      query.filters.map { "\($0.column)=\($0.value)" }
      + query.conditions.map { "\($0.column) \($0.comparison.rawValue) \($0.values)" }
    let subject =
      "all \(name)\n\(conditions.sorted().joined(separator: "\n"))\n\(query.search ?? "")\n\(query.limit)"
    let context = acting.context(
      requestID: services.ids.next(),
      idempotency: try key.map { ($0, SHA256.hash("\(subject)\n\(try JSON(encoding: request).text)")) }
    )
    let outcome = try await explaining {
      try await work.perform(context, dryRun: dryRun) { work in
        try transitionAll(acting, type: name, where: query, request: request, in: &work, progress: progress)
      }
    }
    let denied = Set(outcome.items.compactMap(\.code).filter { $0.category == .denied })
    for code in denied.sorted(by: { $0.rawValue < $1.rawValue }) {
      await services.denials.record(code, context)
    }
    return outcome
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
    try FieldCheck(type: type).require(request.fields)
    try requireMembers(in: request.fields, of: type, acting, in: &work)
    let bulk = try BulkTransition(
      type: type,
      request: request,
      needs: tickets.needs,
      acting: acting,
      access: access,
      rights: rights
    )
    let found = try tickets.locked.affected
    var outcome = BulkOutcome()
    var prepared: BulkPart?
    func prepare(_ start: Int, _ work: inout Work) throws -> BulkPart {
      try bulk.part(of: tickets.locked.rows(start..<start + BulkTransition.size), in: &work)
    }
    for start in stride(from: 0, to: found, by: BulkTransition.size) {
      let next = start + BulkTransition.size
      let part = try prepared ?? prepare(start, &work)
      prepared = nil
      try take(part, through: bulk, &outcome, in: &work) { work in
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

  /// Writes the records of a part together.
  ///
  /// - Parameter meanwhile: runs while the server writes; not called if each record is transitioned alone.
  private func take(
    _ part: BulkPart,
    through bulk: BulkTransition,
    _ outcome: inout BulkOutcome,
    in work: inout Work,
    meanwhile: (inout Work) throws -> Void
  ) throws {
    guard !bulk.needs.isSingular else { return try takeEach(part.decisions, of: bulk, &outcome, in: &work) }
    do {
      let tx = work.transaction
      try tx.savepoint { tx in
        try tx.send { pipeline in
          for statement in part.statements { pipeline.execute(statement) }
        }
        try meanwhile(&work)
      }
    } catch let error as PostgresError where error.isRefusalOfValue {
      // PostgreSQL rejected a value of some record. Writing each record alone finds it.
      return try takeEach(part.decisions, of: bulk, &outcome, in: &work)
    }
    work.changes.append(part.rest)
    for decision in part.decisions {
      switch decision.verdict {
      case .success(let plan):
        let answer = RecordAnswer(
          type: bulk.type.name,
          id: decision.id,
          version: plan.version,
          status: plan.to
        )
        outcome.add(decision.id, decision.name, answer)
      case .failure(let error): outcome.add(decision.id, decision.name, error)
      }
    }
  }

  /// Transitions records one by one in the same transaction, because their follow-ups differ or one has an
  /// invalid value.
  private func takeEach(
    _ decisions: [BulkPart.Decision],
    of bulk: BulkTransition,
    _ outcome: inout BulkOutcome,
    in work: inout Work
  ) throws {
    for decision in decisions {
      if case .failure(let error) = decision.verdict {
        outcome.add(decision.id, decision.name, error)
        continue
      }
      let before = work.changes
      do {
        let tx = work.transaction
        let answer = try tx.savepoint { _ in
          let answer = try transition(
            bulk.acting,
            type: bulk.type.name,
            id: decision.id,
            request: bulk.request,
            in: &work
          )
          try work.writeRowsNow()
          return answer
        }
        outcome.add(decision.id, decision.name, answer)
      } catch let error as DomainError {
        work.changes = before
        outcome.add(decision.id, decision.name, error)
      } catch let error as PostgresError where error.isRefusalOfValue {
        work.changes = before
        outcome.add(decision.id, decision.name, DomainError(error))
      }
    }
  }
}
