package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The result of an activation.
package struct Activation: Sendable {
  package let type: String
  /// The plan, made before any record was moved.
  package let plan: ActivationPlan
  /// The number of records that this run moved. An earlier, interrupted run may have moved others.
  package let moved: Int
  /// False if the company already followed the version and every record had its required status.
  package let changed: Bool
}

extension Workflows {
  /// The number of records moved per transaction; low, so that other commands wait only briefly.
  private static let batch = 500
  /// The maximum number of passes while users keep entering states that the new version lacks.
  private static let rounds = 100

  /// Moves a company and its records to another version of a workflow.
  ///
  /// Before any change, it requires that the new version has or maps every status of a live record. It moves
  /// records in batches, one transaction each, with a history entry per record. An interrupted activation
  /// continues when it is run again. Until all records have moved, the company follows the previous version,
  /// except for records in states that only the new version has.
  ///
  /// - Parameter progress: called after every batch with the numbers of moved records and of all records to
  ///   move.
  /// - Throws: `stale` for a concurrent activation or a superseded version, `unavailable` if users enter
  ///   removed states faster than records are moved, and the errors of the survey.
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
      hint: "run the command again; it continues where it stopped"
    )
  }

  /// Removes the versions that no company follows any more from the tables that the database guard reads.
  ///
  /// - Returns: the removed versions; empty if the login may not change global tables.
  @discardableResult
  package func dropSuperseded(_ type: String) async throws -> [Int] {
    do {
      return try await services.database.transaction { tx in try WorkflowStore.dropSuperseded(type, tx) }
    } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
      return []
    }
  }

  /// Moves one batch of records to the status that the new version requires; for a private type, the records
  /// of one member.
  ///
  /// - Returns: the number of moved records; fewer than a batch if none is left.
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
        // If only the category changes, the record stays in its status, and its timers continue.
        let isMoved = state.name != status
        let draft = HistoryDraft(kind: .migrate, from: isMoved ? status : nil, to: isMoved ? state.name : nil)
        let entry = writer.history(draft, id: found.id, after: found.row, work)
        batch.append(id: found.id, status: state.name, category: state.category, history: entry.head)
        work.changes.history.append(entry)
        if isMoved, !found.row.isDeleted {
          let timers = ArmedTimer.arming(state, at: access.now)
          writer.arm(timers, id: found.id, owner: found.row.createdBy, entry: entry.seq, in: &work)
        }
        work.changes.feed.append(
          FeedChange(
            recordType: type.name,
            recordID: found.id,
            owner: try type.feedOwner(found.row.createdBy),
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

  /// Records the start of the activation, so that every process uses the new version for moved records.
  private func begin(_ acting: ActingContext, _ name: String, _ survey: ActivationSurvey) async throws {
    let next = survey.plan.next
    try await administration.administer(acting, permission: "workflow.activate") { tx, _ in
      try WorkflowStore.holdVersions(tx)
      let choices = try WorkflowStore.choices(company: acting.company.id, tx)
      let choice = choices.versions[name] ?? survey.first
      guard choice.version == survey.choice.version, choice.next == nil || choice.next == next else {
        throw DomainError(
          .stale,
          "another activation has chosen version \(choice.next ?? choice.version) of \(name)",
          hint: "show it with `fettle workflow list --company \(acting.company.slug)`"
        )
      }
      guard try WorkflowStore.isInForce(name, version: next, tx) else {
        throw DomainError(
          .stale,
          "version \(next) of \(name) has been superseded",
          hint: "activate the newest version"
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

  /// Ends the activation if no record is left to move. The company's gate is locked, so no other command can
  /// commit a record in a state of the previous version meanwhile.
  ///
  /// - Returns: false if records are left to move.
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
