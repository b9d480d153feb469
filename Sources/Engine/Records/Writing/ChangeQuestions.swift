internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The questions about the changes of a wave: a statement for those of a kind and type.
struct ChangeQuestions {
  /// The questions about the changes of one type.
  struct Tickets {
    let type: RecordType
    /// The records, locked, with the columns and edit conditions that the table holds.
    var locked: Ticket<LockedRecord>?
    /// The records, locked as parents only: whether each is living, and the actor's own.
    var living: Ticket<(UUID, Bool, Bool)>?
    /// Existing records with the ids of creations.
    var standings: Ticket<RecordStanding>?
    /// The records as the view shows them, with the results of conditions or guards.
    var viewed: [Ticket<GlancedRecord>] = []
    var changed: Ticket<(UUID, [String], Bool, Bool)>?
    var quotas: Ticket<QuotaRow>?
    var number: NumberClaim.Tickets?
    /// The conditions of hooks on edits, by number.
    var editHooks: [Ticket<(Int64, [Bool?])>] = []
    /// The conditions of hooks on creations, for each distinct document that they read.
    var creationHooks: Ticket<[Bool?]>?
    /// The creations with the position of their document.
    var creations: [(no: Int64, document: Int)] = []
  }

  /// The questions by type.
  private(set) var tickets: [String: Tickets] = [:]
  private(set) var members: Ticket<(UUID, Bool)>?
  /// The rules' verdicts on creations, by number.
  private(set) var verdicts: [Int64: Result<RecordRule.Verdict?, DomainError>] = [:]

  private let acting: ActingContext
  /// The device of a policy; nil if nobody asks for what others changed.
  private let device: UUID?

  /// Queues the questions: first the locks, so that the statements behind them see what the locks waited for.
  init(
    _ changes: [RecordChange],
    _ locks: ChangeLocks,
    _ acting: ActingContext,
    device: UUID?,
    _ numbers: WorkNumbers,
    _ pipeline: inout Pipeline
  ) throws {
    self.acting = acting
    self.device = device
    var groups: [String: [RecordChange]] = [:]
    for change in changes {
      if let type = change.type { groups[type.name, default: []].append(change) }
    }
    for rows in locks.rows { lock(rows, groups[rows.type.name] ?? [], &pipeline) }
    for (_, changes) in groups.sorted(by: { $0.key < $1.key }) { try ask(changes, numbers, &pipeline) }
    askMembers(changes, &pipeline)
  }

  private var company: UUID { acting.company.id }

  private mutating func lock(_ rows: ChangeLocks.Rows, _ changes: [RecordChange], _ pipeline: inout Pipeline)
  {
    let type = changes.first?.type ?? rows.type
    guard rows.isStrong else {
      tickets[type.name, default: Tickets(type: type)].living = pipeline.rows(
        type.lockAsParents(company: company, each: rows.ids, owners: type.ownerColumns, user: acting.user),
        UUID.self,
        Bool.self,
        Bool.self
      )
      return
    }
    // Whether another change may refer to a record depends on its owners.
    var columns = Set(type.ownerColumns)
    var conditions: [String] = []
    for change in changes where !change.readsView {
      switch change.way {
      case .edit(let edit):
        columns.insert("number")
        columns.formUnion(edit.fields.keys)
        columns.formUnion(edit.rule?.reads ?? [])
        if conditions.isEmpty { conditions = RecordEdit.conditions(of: type) }
      case .transition(_, let needs): columns.formUnion(needs.columns)
      default: break
      }
    }
    tickets[type.name, default: Tickets(type: type)].locked = pipeline.rows(
      type.lock(
        company: company,
        each: rows.ids,
        reading: columns.filter { type.column($0) != nil }.sorted(),
        guards: conditions,
        readsWatchers: changes.contains { if case .transition = $0.way { true } else { false } }
      ),
      as: LockedRecord.self
    )
  }

  private mutating func ask(_ changes: [RecordChange], _ numbers: WorkNumbers, _ pipeline: inout Pipeline)
    throws
  {
    guard let type = changes.first?.type else { return }
    var asked = tickets[type.name] ?? Tickets(type: type)
    let ids = changes.filter(\.isCreation).map(\.id)
    if !ids.isEmpty, device != nil {
      asked.standings = pipeline.rows(type.standings(company: company, ids: ids), as: RecordStanding.self)
    }
    askViews(changes, type, &asked, &pipeline)
    if let device, type.definition.sync.readsBase { askChanged(changes, type, by: device, &asked, &pipeline) }
    try askAboutCreations(changes, type, &asked, numbers, &pipeline)
    askAboutEdits(changes, type, &asked, &pipeline)
    tickets[type.name] = asked
  }

  /// Evaluates the conditions of hooks on edits. Statements differ by conditions.
  private func askAboutEdits(
    _ changes: [RecordChange],
    _ type: RecordType,
    _ asked: inout Tickets,
    _ pipeline: inout Pipeline
  ) {
    var edits: [[String]: [(no: Int64, id: UUID, fields: String)]] = [:]
    for case (let no, .edit(let edit)) in changes.map({ ($0.no, $0.way) }) {
      let conditions = edit.hooks.conditions
      guard !conditions.isEmpty else { continue }
      edits[conditions, default: []].append((no, edit.id, JSONValue.object(edit.askable).text))
    }
    asked.editHooks = edits.map { conditions, edits in
      pipeline.rows(type.ask(conditions, of: edits, company: company), Int64.self, [Bool?].self)
    }
  }

  /// Reads records from the view, where the table does not hold what decides. Statements differ by guards.
  private func askViews(
    _ changes: [RecordChange],
    _ type: RecordType,
    _ asked: inout Tickets,
    _ pipeline: inout Pipeline
  ) {
    var edits: [UUID] = []
    var transitions: [[String]: [UUID]] = [:]
    for change in changes where change.readsView {
      switch change.way {
      case .edit: edits.append(change.id)
      case .transition(_, let needs): transitions[needs.guards, default: []].append(change.id)
      default: break
      }
    }
    var views = transitions.map { (guards: $0.key, ids: $0.value) }
    if !edits.isEmpty { views.append((RecordEdit.conditions(of: type), edits)) }
    asked.viewed = views.map { view in
      pipeline.rows(
        type.whole(company: company, each: view.ids, guards: view.guards),
        as: GlancedRecord.self
      )
    }
  }

  private func askChanged(
    _ changes: [RecordChange],
    _ type: RecordType,
    by device: UUID,
    _ asked: inout Tickets,
    _ pipeline: inout Pipeline
  ) {
    let patches = changes.compactMap { change -> (UUID, Int64)? in
      guard case .update = change.operation, let base = change.request.base else { return nil }
      return (change.id, base)
    }
    guard !patches.isEmpty else { return }
    asked.changed = pipeline.rows(
      type.changed(company: company, each: patches.map(\.0), after: patches.map(\.1), exceptBy: device),
      UUID.self,
      [String].self,
      Bool.self,
      Bool.self
    )
  }

  private mutating func askAboutCreations(
    _ changes: [RecordChange],
    _ type: RecordType,
    _ asked: inout Tickets,
    _ taken: WorkNumbers,
    _ pipeline: inout Pipeline
  ) throws {
    var creations: [RecordCreation] = []
    var numbers: [Int64] = []
    // A rule asks the same about many records of a batch, such as about their category.
    try pipeline.sharing { pipeline in
      for change in changes {
        guard case .creation(let creation) = change.way else { continue }
        creations.append(creation)
        numbers.append(change.no)
        guard let rule = creation.rule else { continue }
        do {
          verdicts[change.no] = .success(try rule.check(creation.fields, acting, &pipeline))
        } catch let error as DomainError {
          verdicts[change.no] = .failure(error)
        }
      }
    }
    guard let first = creations.first else { return }
    asked.quotas = pipeline.rows(QuotaStore.concerning(type.name, company: company), as: QuotaRow.self)
    asked.number = first.numbering?.ask(&pipeline, taken, count: creations.count)
    let conditions = first.hooks.conditions
    guard !conditions.isEmpty else { return }
    let columns = type.columns(readBy: conditions)
    var places: [String: Int] = [:]
    var documents: [String] = []
    for (no, creation) in zip(numbers, creations) {
      let read = creation.askable.members.filter { columns?.contains($0.key) ?? true }
      let document = JSONValue.object(JSONObject(read.map { ($0.key, $0.value) })).text
      let place = places[document] ?? documents.count
      if place == documents.count {
        places[document] = place
        documents.append(document)
      }
      asked.creations.append((no, place))
    }
    asked.creationHooks = pipeline.value(type.ask(conditions, ofEachNew: documents), as: [Bool?].self)
  }

  private mutating func askMembers(_ changes: [RecordChange], _ pipeline: inout Pipeline) {
    var ids: Set<UUID> = []
    for change in changes {
      switch change.way {
      case .creation(let creation): ids.formUnion(creation.members.map(\.id))
      case .edit(let edit):
        if let type = change.type { ids.formUnion(MemberReference.all(in: edit.fields, of: type).map(\.id)) }
      case .transition(let request, _):
        if let type = change.type {
          ids.formUnion(MemberReference.all(in: request.fields, of: type).map(\.id))
        }
      case .other, .refused: break
      }
    }
    guard !ids.isEmpty else { return }
    members = pipeline.rows(
      MemberReference.query(company: company, each: Array(ids)),
      UUID.self,
      Bool.self
    )
  }
}
