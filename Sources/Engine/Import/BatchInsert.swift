internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Collects new records and inserts them with their history in batches, each of one status and with the same columns.
/// The feed is written at the end.
struct BatchInsert {
  /// The collected records of one status with the same columns.
  private struct Group {
    let status: (String, String)?
    let columns: [String]
    /// The guards that the records must satisfy to have the status.
    let guards: [TransitionGuard]
    /// The transitions that lead to the status: the records begin in the initial one, because the server's login may
    /// begin none in another.
    let way: [WorkflowTransition]
    var batch: RecordBatch
    var history: [HistoryRecord] = []
    /// The line of each record, in the order of the batch.
    var lines: [ImportLine] = []

    mutating func removeAll() {
      batch.removeAll()
      history.removeAll(keepingCapacity: true)
      lines.removeAll(keepingCapacity: true)
    }

    /// Returns some of the records as a group.
    func part(_ range: Range<Int>) -> Group {
      var part = self
      part.batch = batch.part(range)
      part.history = Array(history[range])
      part.lines = Array(lines[range])
      return part
    }
  }

  /// A batch that the server is inserting.
  private struct Sent {
    let inserted: Ticket<UUID>
    let group: Group
  }

  /// A batch with the statements that insert its records and their history.
  private struct Encoded {
    let group: Group
    private let records: SQL
    private let history: SQL

    init(_ group: Group, company: UUID) {
      self.group = group
      records = group.batch.insert(company: company)
      history = HistoryRecord.insert(group.history[...], company: company, skipsExisting: true)
    }

    /// Queues the statements, and returns the ids of the inserted records.
    func queue(_ pipeline: inout Pipeline) -> Ticket<UUID> {
      let inserted = pipeline.rows(records, UUID.self)
      pipeline.execute(history)
      return inserted
    }
  }

  private let records: Records
  private let type: RecordType
  private let acting: ActingContext
  private let access: Access
  private let status: ImportStatus
  private let rule: ImportStatusRule?
  private let size: Int
  /// True to insert inside savepoints, and to find the records that PostgreSQL refuses.
  private let isCareful: Bool
  private let numbering: NumberClaim?
  private let past: ImportedPast
  private let targets: [ImportMapping.Target]
  private var groups: [Group] = []
  private var underWay: Sent?
  /// The batch that is sent after the one under way.
  private var held: Encoded?
  /// False until the first batch, which is smaller, so that the server begins early.
  private var hasBegun = false
  /// The refusal of a record that is already inserted; ``finish(_:_:)`` throws it, and nothing is imported.
  private var refusal: DomainError?
  /// The numbers of inserted records that did not begin in the initial status, by status.
  private(set) var placed: [String: Int] = [:]
  /// The columns of the past that records have.
  private(set) var pastColumns: Set<String> = []

  init(
    _ records: Records,
    type: RecordType,
    acting: ActingContext,
    access: Access,
    status: ImportStatus,
    rule: ImportStatusRule?,
    targets: [ImportMapping.Target],
    size: Int,
    isCareful: Bool
  ) {
    self.records = records
    self.type = type
    self.acting = acting
    self.access = access
    self.status = status
    self.rule = rule
    self.size = size
    self.isCareful = isCareful
    self.targets = targets
    past = ImportedPast(type)
    numbering = NumberClaim(type, company: acting.company.id)
  }

  /// Adds a record with complete fields, and sends the batch if it is full.
  ///
  /// - Throws: the errors of ``ImportStatusRule/guards(for:)`` for the first line of a status.
  mutating func take(
    _ line: ImportLine,
    _ fields: JSONObject,
    id: UUID,
    _ work: inout Work,
    _ outcome: inout ImportOutcome
  ) throws {
    let status = try status.of(line)
    let created = try line.created(among: targets)
    try past.require(
      fields,
      created: created,
      status: status?.0,
      now: access.now,
      isUnrestricted: rule?.isUnrestricted ?? false,
      isDay: { line.isDay($0, among: targets) }
    )
    pastColumns.formUnion(past.given(in: fields) + (created == nil ? [] : [ImportedPast.creation]))
    var names: [String] = []
    var cells: [String?] = []
    for (name, value) in fields.members {
      guard let column = type.column(name) else { continue }
      names.append(name)
      cells.append(try column.kind.cell(value))
    }
    if let number = try numbering?.take(in: &work) {
      names += NumberRule.columns
      cells += [number.text, String(number.counter)]
    }
    let index = try group(status, names)
    var changes: JSONObject = ["source_line": .integer(line.line)]
    for value in line.unread { changes[value.column] = .array([.string(value.text), .null]) }
    let record = HistoryRecord(
      HistoryDraft(kind: .import, to: status?.0, changes: changes),
      type: type.name,
      id: id,
      definition: type.workflow?.version,
      previous: nil,
      version: 1,
      at: access.now,
      actorName: acting.actor.name ?? access.userName,
      context: work.context
    )
    let stamp = RecordBatch.Stamp(
      by: acting.user,
      at: created ?? access.now,
      updated: access.now,
      status: groups[index].way.isEmpty ? status : initial
    )
    groups[index].batch.append(id: id, hash: record.hash, stamp, cells: cells)
    groups[index].history.append(record)
    groups[index].lines.append(line)
    if groups[index].batch.count >= (hasBegun ? size : size / 4) { try send(index, &work, &outcome) }
  }

  /// Returns the position of the group of a status and columns.
  private mutating func group(_ status: (String, String)?, _ names: [String]) throws -> Int {
    if let found = groups.firstIndex(where: { $0.status?.0 == status?.0 && $0.columns == names }) {
      return found
    }
    let way = try status.map { try rule?.way(to: $0.0) ?? [] } ?? []
    let batch = RecordBatch(type, names.compactMap(type.column))
    let guards = way.flatMap(\.guards)
    groups.append(Group(status: status, columns: names, guards: guards, way: way, batch: batch))
    return groups.count - 1
  }

  private var initial: (String, String)? { type.workflow.flatMap { pair(of: $0.initial) } }

  private func pair(of status: String) -> (String, String)? {
    type.workflow?.state(status).map { ($0.name, $0.category.rawValue) }
  }

  /// Takes new records along the way to their status, step by step: the guard of the table permits no leap.
  private func lead(_ inserted: [UUID], along way: [WorkflowTransition], _ work: Work) throws {
    guard !way.isEmpty, !inserted.isEmpty else { return }
    try work.transaction.pipeline { pipeline in
      for step in way {
        guard let (status, category) = pair(of: step.to) else { continue }
        pipeline.execute(
          """
          update \(type.table) t set status = \(status), status_category = \(category)
          where t.company_id = \(acting.company.id) and t.id = any(\(inserted))
          """
        )
      }
    }
  }

  /// Sends the last batches and waits for their results.
  mutating func finish(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    try flush(&work, &outcome)
    try settle(&work, &outcome)
    if let refusal { throw refusal }
  }

  /// Sends all collected records.
  mutating func flush(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    for index in groups.indices where groups[index].batch.count > 0 { try send(index, &work, &outcome) }
    try release(&work, &outcome)
  }

  /// Sends a batch without waiting for its result, so that the next lines are read while the server inserts
  /// it. If the server still inserts another one, the batch is held back, encoded already.
  private mutating func send(_ index: Int, _ work: inout Work, _ outcome: inout ImportOutcome) throws {
    let group = groups[index]
    hasBegun = true
    groups[index].removeAll()
    guard !isCareful else {
      try settle(&work, &outcome)
      return try insertCarefully(group, &work, &outcome)
    }
    let batch = Encoded(group, company: acting.company.id)
    if held != nil { try release(&work, &outcome) }
    held = batch
    if underWay == nil { try release(&work, &outcome) }
  }

  /// Sends the batch that is held back, once the one before it is inserted.
  ///
  /// What the caller needs from the server before it can go on, it asks before this, so that the answers need not wait for
  /// the batch.
  mutating func release(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    guard let batch = held else { return }
    held = nil
    try settle(&work, &outcome)
    let inserted = try work.transaction.send { batch.queue(&$0) }
    underWay = Sent(inserted: inserted, group: batch.group)
  }

  /// Inserts a batch. If PostgreSQL refuses a value, halves of it find the lines to refuse.
  private mutating func insertCarefully(
    _ group: Group,
    _ work: inout Work,
    _ outcome: inout ImportOutcome
  ) throws {
    let tx = work.transaction
    let inserted: [UUID]
    do {
      let batch = Encoded(group, company: acting.company.id)
      inserted = try tx.savepoint { tx in try tx.pipeline { batch.queue(&$0) }.all }
    } catch let error as PostgresError where error.isRefusalOfValue {
      let count = group.batch.count
      guard count > 1 else {
        let refusal = try records.explanation(of: error, tx) ?? DomainError(error)
        guard refusal.concernsLine else { throw refusal }
        return outcome.refuse(group.lines[0], refusal)
      }
      try insertCarefully(group.part(0..<count / 2), &work, &outcome)
      return try insertCarefully(group.part(count / 2..<count), &work, &outcome)
    }
    try take(inserted, of: group, &work, &outcome)
  }

  /// Waits for the batch that was sent and counts its records.
  mutating func settle(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    guard let sent = underWay else { return }
    underWay = nil
    try work.transaction.collect()
    try take(sent.inserted.all, of: sent.group, &work, &outcome)
  }

  /// Counts inserted records, and adds them to the feed. Records that exist from an earlier import count as already
  /// there.
  private mutating func take(
    _ inserted: [UUID],
    of group: Group,
    _ work: inout Work,
    _ outcome: inout ImportOutcome
  ) throws {
    outcome.imported += inserted.count
    outcome.alreadyThere += group.batch.count - inserted.count
    if let status = group.status?.0, status != type.workflow?.initial, !inserted.isEmpty {
      placed[status, default: 0] += inserted.count
    }
    try lead(inserted, along: group.way, work)
    if refusal == nil, !group.guards.isEmpty { refusal = try unsatisfied(inserted, group, work) }
    let owner = try type.feedOwner(acting.user)
    for id in inserted {
      work.changes.feed.append(
        FeedChange(
          recordType: type.name,
          recordID: id,
          owner: owner,
          operation: .put,
          version: 1,
          effect: .imported
        )
      )
    }
  }

  /// Returns the refusal of the first inserted record that does not satisfy a guard; nil if all do.
  private func unsatisfied(_ inserted: [UUID], _ group: Group, _ work: Work) throws -> DomainError? {
    guard !inserted.isEmpty else { return nil }
    let seen = try work.transaction.rows(
      type.glance(company: acting.company.id, ids: inserted, columns: [], guards: group.guards.map(\.path)),
      as: GlancedRecord.self
    )
    let lines = Dictionary(zip(group.batch.ids, group.lines.map(\.line))) { first, _ in first }
    let answers = Dictionary(seen.map { ($0.id, $0.guards) }) { first, _ in first }
    var first: (line: Int, condition: TransitionGuard)?
    for id in inserted {
      let line = lines[id] ?? 0
      guard first.map({ line < $0.line }) ?? true else { continue }
      let results = answers[id] ?? []
      // A missing result counts as null, which refuses.
      for (index, condition) in group.guards.enumerated()
      where !(index < results.count && results[index] == true) {
        first = (line, condition)
        break
      }
    }
    guard let first else { return nil }
    let name = first.condition.message
    let refused = DomainError(.guardRefused, name, details: ["guard": .string(name)]).wording(type.messages)
    return DomainError(
      .guardRefused,
      "line \(first.line) cannot be \(group.status?.0 ?? ""): \(refused.message)",
      hint: "import the record without a status, or ask an operator to import",
      details: ["line": .integer(first.line), "guard": .string(name)]
    )
  }
}
