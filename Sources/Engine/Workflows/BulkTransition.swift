internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// One transition of many records: decided record by record by the kernel, written together.
struct BulkTransition {
  /// So many are decided and written at a time.
  static let size = 1_000

  /// What the kernel said of one record.
  struct Decision {
    let id: UUID
    let name: String?
    let locked: LockedRow
    /// Its fields, as far as the transition asks for them.
    let fields: JSONObject
    let verdict: Result<TransitionPlan, DomainError>
  }

  let type: RecordType
  let request: TransitionRequest
  let seat: Seat
  private let access: Access
  private let rights: Rights
  private let workflow: WorkflowDefinition
  private let transition: WorkflowTransition?
  private let columns: [String]
  private let title: String

  init(type: RecordType, request: TransitionRequest, seat: Seat, access: Access, rights: Rights) throws {
    guard let workflow = type.workflow else {
      throw DomainError(.unknownTransition, "\(type.name) has no workflow")
    }
    self.type = type
    self.request = request
    self.seat = seat
    self.access = access
    self.rights = rights
    self.workflow = workflow
    transition = workflow.transition(request.transition)
    title = type.definition.key.last ?? type.definition.titleField
    var columns: Set<String> = ["created_by", title]
    columns.formUnion(type.definition.ownerFields)
    if let transition {
      columns.formUnion(transition.distinctFrom + transition.require.fields + transition.set.map(\.column))
    }
    let known = Set((type.columns + type.viewColumns).map(\.name))
    self.columns = columns.intersection(known).sorted()
  }

  /// Whether each has to be taken alone, because what follows has to be found out record by record.
  var isSingular: Bool {
    guard let transition else { return false }
    let written = transition.set.map(\.column) + transition.require.fields
    let creates = transition.effects.contains { if case .create = $0 { true } else { false } }
    let reminds = transition.from.contains { transition.isReminder(from: $0) }
    return creates || reminds || !Hooks(.change, of: type).namingColumns.following(written).isEmpty
  }

  /// The statement that reads what decisions need of these records.
  func glance(at ids: [UUID]) -> SQL {
    type.glance(
      company: seat.company.id,
      ids: ids,
      columns: columns,
      guards: transition?.guards.map(\.path) ?? []
    )
  }

  /// What the kernel says of each, in the order in which they were locked; what the actor does not see is left out.
  func decide(_ locked: [LockedRecord], _ glanced: [GlancedRecord]) throws -> [Decision] {
    let views = Dictionary(glanced.map { ($0.id, $0) }) { first, _ in first }
    let rights = self.rights.kernel(seat, type)
    let seesAll = self.rights.holds("\(type.name).read")
    let now = Instant(microseconds: access.now.microseconds)
    return try locked.compactMap { record in
      guard let view = views[record.id], !record.row.isDeleted else { return nil }
      let fields = try view.document.value().object ?? [:]
      let owners =
        [record.row.createdBy]
        + type.definition.ownerFields.map { fields[$0]?.string.flatMap(UUID.init(uuidString:)) }
      let isOwn = self.rights.user.map(owners.contains) ?? false
      guard seesAll || isOwn else { return nil }
      let snapshot = RecordSnapshot(
        status: record.row.status ?? "",
        version: record.row.version,
        owners: owners.compactMap { $0 },
        fields: fields,
        guards: [request.transition: view.guards]
      )
      return Decision(
        id: record.id,
        name: fields[title]?.string,
        locked: record.row,
        fields: fields,
        verdict: Result { () throws(DomainError) in
          try Kernel.apply(request, to: snapshot, by: rights, under: workflow, at: now)
        }
      )
    }
  }

  /// Adds what the permitted ones write to a unit of work.
  func write(_ decisions: [Decision], in work: inout Work) {
    let writer = RecordWriter(type: type, seat: seat, access: access)
    let effects = EffectWriter(type: type, seat: seat)
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
      writer.tellWatchers(plan, of: decision.locked, id: decision.id, record: entry, in: &work)
      work.changes.feed.append(
        FeedChange(
          recordType: type.name,
          recordID: decision.id,
          owner: type.definition.scope == .owner ? decision.locked.createdBy : nil,
          operation: .put,
          version: plan.version
        )
      )
    }
    guard !batch.ids.isEmpty else { return }
    work.changes.rows.append(
      type.updateStatus(
        of: batch,
        company: seat.company.id,
        user: seat.actor.person,
        now: access.now,
        values: values
      )
    )
  }
}
