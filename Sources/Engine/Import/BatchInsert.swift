internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The statuses of imported records, with their categories.
struct ImportStatus: Sendable {
  private let type: RecordType
  /// The status of lines that have none; nil for a type without a workflow.
  let usual: (String, String)?

  /// - Throws: `invalid_input` if the plan's fixed status is not a state of the workflow.
  init(type: RecordType, plan: ImportPlan) throws {
    self.type = type
    let name = plan.fixed.first { $0.column == "status" }?.value ?? type.workflow?.initial
    usual = try name.map { try Self.find($0, type) }
  }

  /// Returns the status of a line, or the default.
  ///
  /// - Throws: `invalid_input` if the workflow has no such state.
  func of(_ line: ImportLine) throws -> (String, String)? {
    guard let name = line.status, name != usual?.0 else { return usual }
    return try Self.find(name, type)
  }

  private static func find(_ name: String, _ type: RecordType) throws -> (String, String) {
    guard let workflow = type.workflow else {
      throw DomainError(.invalidInput, "\(type.name) has no status")
    }
    let state = try workflow.state(written: name, of: type.name)
    return (state.name, state.category.rawValue)
  }
}

extension ImportPlan {
  /// Returns the fixed values of the plan, checked against their columns.
  ///
  /// - Throws: `invalid_input` for a reference, `unknown_fields` for an unknown column, and the code of the
  ///   column's kind for an invalid value.
  func fixedCells(_ type: RecordType) throws -> [(column: Column, cell: String?)] {
    try fixed.filter { $0.column != "status" }.map { pair in
      guard case .column(let column) = try ImportMapping.target(pair.column, type) else {
        throw DomainError(
          .invalidInput,
          "--set cannot set the reference \(pair.column)",
          hint: "map a column of the file to it"
        )
      }
      return (column, try CellReader(column: column).read(pair.value))
    }
  }
}

/// Collects lines and inserts them with their history in batches of one status each. The feed is written at
/// the end.
struct BatchInsert {
  /// The collected lines of one status.
  private struct Group {
    let status: (String, String)?
    /// The guards that the records must satisfy to have the status.
    let guards: [TransitionGuard]
    var batch: RecordBatch
    var history: [HistoryRecord] = []
    /// The line of each record, in the order of the batch.
    var lines: [Int] = []
  }

  /// A batch that the server is inserting.
  private struct Sent {
    let inserted: Ticket<UUID>
    let status: String?
    let guards: [TransitionGuard]
    let lines: [UUID: Int]
    let count: Int
  }

  private let type: RecordType
  private let acting: ActingContext
  private let access: Access
  private let columns: [Column]
  private let status: ImportStatus
  private let rule: ImportStatusRule?
  private let fixed: [(column: Column, cell: String?)]
  private let size: Int
  private let numbering: NumberClaim?
  private var groups: [Group] = []
  private var underWay: Sent?
  /// The refusal of a record that is already inserted; ``finish(_:_:)`` throws it, and nothing is imported.
  private var refusal: DomainError?
  /// The numbers of inserted records that did not begin in the initial status, by status.
  private(set) var placed: [String: Int] = [:]

  init(
    type: RecordType,
    acting: ActingContext,
    access: Access,
    reader: ImportReader,
    status: ImportStatus,
    rule: ImportStatusRule?,
    fixed: [(column: Column, cell: String?)],
    size: Int
  ) {
    self.type = type
    self.acting = acting
    self.access = access
    self.status = status
    self.rule = rule
    self.fixed = fixed
    self.size = size
    let numbers = type.definition.number == nil ? [] : NumberRule.columns.compactMap(type.column)
    columns = reader.targets.map(\.column) + fixed.map(\.column) + numbers
    numbering = NumberClaim(type, company: acting.company.id)
  }

  /// Adds a line whose references are ids, and sends the batch if it is full.
  ///
  /// - Throws: the errors of ``ImportStatusRule/guards(for:)`` for the first line of a status.
  mutating func take(
    _ line: ImportLine,
    _ cells: [String?],
    id: UUID,
    _ work: inout Work,
    _ outcome: inout ImportOutcome
  ) throws {
    let status = try status.of(line)
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
    let index: Int
    if let found = groups.firstIndex(where: { $0.status?.0 == status?.0 }) {
      index = found
    } else {
      let guards = try status.map { try rule?.guards(for: $0.0) ?? [] } ?? []
      groups.append(Group(status: status, guards: guards, batch: RecordBatch(columns: columns)))
      index = groups.count - 1
    }
    var cells = cells + fixed.map(\.cell)
    if let number = try numbering?.take(nil, in: &work) { cells += [number.text, String(number.counter)] }
    groups[index].batch.append(id: id, hash: record.hash, cells: cells)
    groups[index].history.append(record)
    if !groups[index].guards.isEmpty { groups[index].lines.append(line.line) }
    if groups[index].batch.count >= size { try send(index, &work, &outcome) }
  }

  /// Sends the last batches and waits for their results.
  mutating func finish(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    for index in groups.indices where groups[index].batch.count > 0 { try send(index, &work, &outcome) }
    try settle(&work, &outcome)
    if let refusal { throw refusal }
  }

  /// Sends a batch without waiting for its result, so that the next lines are read while the server inserts
  /// it.
  private mutating func send(_ index: Int, _ work: inout Work, _ outcome: inout ImportOutcome) throws {
    let records = type.insert(
      groups[index].batch,
      company: acting.company.id,
      user: acting.user,
      now: access.now,
      status: groups[index].status
    )
    let entries = HistoryRecord.insert(groups[index].history, company: acting.company.id)
    try settle(&work, &outcome)
    let inserted = try work.transaction.send { pipeline in
      let inserted = pipeline.rows(records, UUID.self)
      pipeline.execute(entries)
      return inserted
    }
    let group = groups[index]
    underWay = Sent(
      inserted: inserted,
      status: group.status?.0,
      guards: group.guards,
      lines: Dictionary(zip(group.batch.ids, group.lines)) { first, _ in first },
      count: group.batch.count
    )
    groups[index].batch.removeAll()
    groups[index].history.removeAll(keepingCapacity: true)
    groups[index].lines.removeAll(keepingCapacity: true)
  }

  /// Waits for the batch that was sent and counts its records. Records that exist from an earlier import
  /// count as already there.
  mutating func settle(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    guard let sent = underWay else { return }
    underWay = nil
    try work.transaction.collect()
    let inserted = try sent.inserted.all
    outcome.imported += inserted.count
    outcome.alreadyThere += sent.count - inserted.count
    if let status = sent.status, status != type.workflow?.initial, !inserted.isEmpty {
      placed[status, default: 0] += inserted.count
    }
    if refusal == nil, !sent.guards.isEmpty { refusal = try unsatisfied(inserted, sent, work) }
    let owner = try type.feedOwner(acting.user)
    for id in inserted {
      work.changes.feed.append(
        FeedChange(recordType: type.name, recordID: id, owner: owner, operation: .put, version: 1)
      )
    }
  }

  /// Returns the refusal of the first inserted record that does not satisfy a guard; nil if all do.
  private func unsatisfied(_ inserted: [UUID], _ sent: Sent, _ work: Work) throws -> DomainError? {
    guard !inserted.isEmpty else { return nil }
    let seen = try work.transaction.rows(
      type.glance(company: acting.company.id, ids: inserted, columns: [], guards: sent.guards.map(\.path)),
      as: GlancedRecord.self
    )
    let answers = Dictionary(seen.map { ($0.id, $0.guards) }) { first, _ in first }
    var first: (line: Int, condition: TransitionGuard)?
    for id in inserted {
      let line = sent.lines[id] ?? 0
      guard first.map({ line < $0.line }) ?? true else { continue }
      let results = answers[id] ?? []
      // A missing result counts as null, which refuses.
      for (index, condition) in sent.guards.enumerated()
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
      "line \(first.line) cannot be \(sent.status ?? ""): \(refused.message)",
      hint: "import the record without a status, or ask an operator to import",
      details: ["line": .integer(first.line), "guard": .string(name)]
    )
  }
}
