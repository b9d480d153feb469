internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// One transition of many records. The kernel decides each record; their rows are written together.
struct BulkTransition {
  /// The number of records decided and written together. Their statements fit into the socket's buffer, so
  /// that sending them does not block.
  static let size = 250

  let type: RecordType
  let request: TransitionRequest
  let acting: ActingContext
  private let access: Access
  private let rights: Rights
  let needs: TransitionNeeds
  private let workflow: WorkflowDefinition

  init(
    type: RecordType,
    request: TransitionRequest,
    needs: TransitionNeeds,
    acting: ActingContext,
    access: Access,
    rights: Rights
  ) throws {
    guard let workflow = type.workflow else {
      throw DomainError(.unknownTransition, "\(type.name) has no workflow")
    }
    self.type = type
    self.request = request
    self.acting = acting
    self.access = access
    self.rights = rights
    self.workflow = workflow
    self.needs = needs
  }

  /// Decides a part of the locked records and returns its writes.
  ///
  /// Writes nothing, so it can run while the server writes the previous part. If the decision requires data
  /// beyond the locked rows, it waits for the server and reads the rows sent before.
  func part(of locked: [LockedRecord], in work: inout Work) throws -> BulkPart {
    let glanced =
      needs.isInRow ? [] : try work.transaction.rows(glance(at: locked.map(\.id)), as: GlancedRecord.self)
    let decisions = try decide(locked, glanced)
    guard !needs.isSingular else { return BulkPart(decisions: decisions, statements: [], rest: Changes()) }
    var changes = try work.apart { try write(decisions, in: &$0) }
    let statements = changes.takeStatements(context: work.context)
    return BulkPart(decisions: decisions, statements: statements, rest: changes)
  }

  /// Returns the statement that reads the data for the decisions.
  private func glance(at ids: [UUID]) -> SQL {
    type.glance(company: acting.company.id, ids: ids, columns: needs.columns, guards: needs.guards)
  }

  /// Returns the kernel's decision on each visible record, in lock order.
  private func decide(_ locked: [LockedRecord], _ glanced: [GlancedRecord]) throws -> [BulkPart.Decision] {
    let views = Dictionary(glanced.map { ($0.id, $0) }) { first, _ in first }
    let rights = self.rights.kernel(acting, type)
    let now = Instant(microseconds: access.now.microseconds)
    return try locked.compactMap { record in
      let view = views[record.id]
      guard let document = record.document ?? view?.document, !record.row.isDeleted else { return nil }
      let fields = try document.value().object ?? [:]
      let owners =
        ([record.row.createdBy]
        + type.definition.ownerFields.map { fields[$0]?.string.flatMap(UUID.init(uuidString:)) })
        .compactMap { $0 }
      guard self.rights.canRead(type, ownedBy: owners) else { return nil }
      let snapshot = RecordSnapshot(
        status: record.row.status ?? "",
        version: record.row.version,
        owners: owners,
        fields: fields,
        guards: [request.transition: view?.guards ?? []]
      )
      return BulkPart.Decision(
        id: record.id,
        name: needs.titles.lazy.compactMap { fields[$0] }.first { !$0.isBlank }?.displayText,
        locked: record.row,
        fields: fields,
        verdict: Result { () throws(DomainError) in
          try type.decide(request, on: snapshot, by: rights, under: workflow, at: now)
        }
      )
    }
  }

  /// Adds the writes of the permitted records to a unit of work.
  private func write(_ decisions: [BulkPart.Decision], in work: inout Work) throws {
    let writer = RecordWriter(type: type, acting: acting, access: access)
    let effects = EffectWriter(type: type, acting: acting)
    var batch = StatusBatch()
    var values: [(column: String, value: ColumnValue)] = []
    for decision in decisions {
      guard case .success(let plan) = decision.verdict else { continue }
      if batch.ids.isEmpty {
        values = plan.set.map { ($0.column, $0.value.isNull ? .null : .json($0.value)) }
      }
      let entry = writer.history(
        HistoryDraft(
          kind: .transition,
          transition: plan.transition,
          from: plan.from,
          to: plan.to,
          comment: plan.comment,
          changes: JSONObject(
            plan.set.map { ($0.column, .array([decision.fields[$0.column] ?? .null, $0.value])) }
          )
        ),
        id: decision.id,
        after: decision.locked,
        version: plan.version,
        work
      )
      batch.append(id: decision.id, status: plan.to, category: plan.category, history: entry.head)
      work.changes.history.append(entry)
      writer.arm(
        plan.timers,
        id: decision.id,
        owner: decision.locked.createdBy,
        entry: entry.seq,
        in: &work
      )
      effects.write(plan.effects, id: decision.id, record: entry, in: &work)
      writer.tellWebhooks(.transitioned, id: decision.id, seq: entry.seq, in: &work)
      writer.tellWatchers(plan, of: decision.locked, id: decision.id, record: entry, in: &work)
      work.changes.feed.append(
        FeedChange(
          recordType: type.name,
          recordID: decision.id,
          owner: try type.feedOwner(decision.locked.createdBy),
          operation: .put,
          version: plan.version
        )
      )
    }
    guard !batch.ids.isEmpty else { return }
    work.changes.rows.append(
      type.updateStatus(
        of: batch,
        company: acting.company.id,
        user: acting.actor.person,
        now: access.now,
        values: values
      )
    )
  }
}
