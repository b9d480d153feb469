package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The result of an activation.
package struct Activation: Sendable {
  package let type: String
  /// The state before anything was moved.
  package let plan: ActivationPlan
  /// The number of records that this run moved; an earlier, interrupted run may have moved others.
  package let moved: Int
  /// False if the company already followed the version and every record had its required status.
  package let changed: Bool
}

extension Workflows {
  /// Records moved per transaction; few, so that others wait only briefly.
  private static let batch = 500
  /// The number of attempts to finish while users keep entering states that are about to be removed.
  private static let rounds = 100

  /// Moves a company and its records to another version of a workflow.
  ///
  /// It refuses before any change unless every status of a live record exists in the new version or is mapped
  /// by it. Records are moved in batches, one transaction each, with a history entry per record. An
  /// interrupted activation continues when it is run again. Until all records have moved, the company follows
  /// the previous version, except for records in states that only the new version has.
  ///
  /// - Parameter progress: called after every batch with the number moved and the total.
  package func activate(
    _ acting: ActingContext,
    type name: String,
    version: Int,
    dryRun: Bool = false,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> Activation {
    try requireWorkflow(name)
    let survey = try await survey(acting, name, version)
    try survey.plan.requireComplete(name)
    if dryRun || survey.isDone {
      return Activation(type: name, plan: survey.plan, moved: 0, changed: !survey.isDone)
    }
    if survey.choice.version != version { try await begin(acting, name, survey) }
    let type = try records.catalogue.type(name).following(survey.next)
    var moved = 0
    for _ in 0..<Self.rounds {
      for owner in survey.owners {
        while true {
          let count = try await move(type, survey.plan.places, acting.company, owner)
          moved += count
          progress(moved, max(moved, survey.misplaced))
          if count < Self.batch { break }
        }
      }
      if try await finish(acting, type, survey, moved) {
        return Activation(type: name, plan: survey.plan, moved: moved, changed: true)
      }
    }
    throw DomainError(
      .unavailable,
      "records of \(name) enter states that version \(version) lacks faster than they are moved",
      hint: "run it again: it goes on where it stopped"
    )
  }

  /// Removes the versions that no company follows any more from the guard's reference tables.
  ///
  /// - Returns: the removed versions; none if the login may not change global tables.
  @discardableResult
  package func dropSuperseded(_ type: String) async throws -> [Int] {
    do {
      return try await services.database.transaction { tx in try WorkflowStore.dropSuperseded(type, tx) }
    } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
      return []
    }
  }

  /// Moves one batch of records to their status under the new version; for a private type, only one member's
  /// records.
  private func move(
    _ type: RecordType,
    _ places: [ActivationPlan.Place],
    _ company: CompanyRow,
    _ owner: UUID?
  ) async throws -> Int {
    let acting = ActingContext(company: company, actor: .system("workflow"), user: owner)
    let context = acting.context(requestID: services.ids.next(), mode: .migrate)
    let map = places.map { (from: $0.from, to: $0.state.name, category: $0.state.category.rawValue) }
    let states = Dictionary(places.map { ($0.from, $0.state) }) { first, _ in first }
    return try await records.work.perform(context) { work in
      let (access, tickets) = try work.read { pipeline in
        pipeline.rows(
          type.lockMisplaced(company: company.id, map: map, limit: Self.batch),
          as: LockedRecord.self
        )
      }
      let writer = RecordWriter(type: type, acting: acting, access: access)
      var batch = StatusBatch()
      for found in try tickets.all {
        guard let status = found.row.status, let state = states[status] else { continue }
        // If only the category changes, the record does not enter a status and its timers continue.
        let isMoved = state.name != status
        let draft = HistoryDraft(kind: .migrate, from: isMoved ? status : nil, to: isMoved ? state.name : nil)
        let entry = writer.history(draft, id: found.id, after: found.row, work)
        batch.append(id: found.id, status: state.name, category: state.category, history: entry.head)
        work.changes.history.append(entry)
        if isMoved, !found.row.isDeleted {
          let timers = ArmedTimer.arming(state, at: Instant(microseconds: access.now.microseconds))
          writer.arm(timers, id: found.id, owner: found.row.createdBy, entry: entry.seq, in: &work)
        }
        work.changes.feed.append(
          FeedChange(
            recordType: type.name,
            recordID: found.id,
            owner: type.definition.scope == .owner ? found.row.createdBy : nil,
            operation: found.row.isDeleted ? .delete : .put,
            version: found.row.version + 1
          )
        )
      }
      guard !batch.ids.isEmpty else { return 0 }
      work.changes.rows.append(
        type.updateStatus(of: batch, company: company.id, user: nil, now: access.now)
      )
      return batch.ids.count
    }
  }

  /// Marks the activation as started, so that every process uses the new version for moved records.
  private func begin(_ acting: ActingContext, _ name: String, _ survey: ActivationSurvey) async throws {
    let next = survey.plan.next
    try await administration.administer(acting, permission: "workflow.activate") { tx, _ in
      try WorkflowStore.holdVersions(tx)
      let choices = try WorkflowStore.choices(company: acting.company.id, tx)
      let choice = choices.versions[name] ?? survey.first
      guard choice.version == survey.choice.version, choice.next == nil || choice.next == next else {
        throw DomainError(
          .stale,
          "the company has begun to follow version \(choice.next ?? choice.version) of \(name)",
          hint: "look at it with `fettle workflow list --company \(acting.company.slug)`"
        )
      }
      guard try WorkflowStore.isInForce(name, version: next, tx) else {
        throw DomainError(
          .stale,
          "version \(next) of \(name) has been superseded",
          hint: "activate the newest"
        )
      }
      try Self.carryOverlay(of: name, from: choice.version, to: survey, choices, acting.company, tx)
      guard choice.next == nil else { return ((), []) }
      try WorkflowStore.choose(
        WorkflowStore.Choice(version: choice.version, next: next),
        of: name,
        company: acting.company.id,
        tx
      )
      return (
        (),
        [
          Self.audit(
            "workflow.activation_begun",
            name,
            ["from": .integer(choice.version), "to": .integer(next)]
          )
        ]
      )
    }
  }

  /// Finishes the activation if no record is left to be moved. This runs behind the gate, where nobody can
  /// enter a state of the previous version any more.
  private func finish(_ acting: ActingContext, _ type: RecordType, _ survey: ActivationSurvey, _ moved: Int)
    async throws
    -> Bool
  {
    let plan = survey.plan
    return try await administration.administer(acting, permission: "workflow.activate") { tx, _ in
      try tx.execute(FeedWriter.gate(company: acting.company.id))
      let now = try Self.counts(of: type, survey.owners, acting, tx)
      let misplaced = Self.misplaced(now, plan.places)
      if misplaced > 0 { return (false, []) }
      try ActivationPlan(from: survey.current, to: survey.next, counts: Self.byStatus(now)).requireComplete(
        type.name
      )
      let choice = WorkflowStore.Choice(version: plan.next)
      try WorkflowStore.choose(choice, of: type.name, company: acting.company.id, tx)
      let detail: JSONObject = [
        "from": .integer(plan.current), "to": .integer(plan.next), "moved": .integer(moved),
      ]
      return (true, [Self.audit("workflow.activated", type.name, detail)])
    }
  }

  static func audit(_ action: String, _ type: String, _ detail: JSONObject) -> AuditEntry {
    AuditEntry(action: action, subjectType: "workflow", subjectID: type, detail: JSON(detail))
  }
}
