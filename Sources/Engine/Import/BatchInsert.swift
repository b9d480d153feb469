internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The status an import's records have, and its category.
struct ImportStatus: Sendable {
  let status: (String, String)?

  /// - Throws: `invalid_input` when the plan names a status that the workflow does not have.
  init(type: RecordType, plan: ImportPlan) throws {
    guard let workflow = type.workflow else {
      status = nil
      return
    }
    let name = plan.fixed.first { $0.column == "status" }?.value ?? workflow.initial
    guard let state = workflow.state(name) else {
      let names = workflow.states.map(\.name)
      let closest = Suggestion.closest(to: name, among: names)
      throw DomainError(
        .invalidInput,
        "\(type.name) has no status \(Quoted(name))",
        hint: closest.map { "did you mean \($0)?" } ?? "it has: \(names.joined(separator: ", "))"
      )
    }
    status = (state.name, state.category.rawValue)
  }
}

extension ImportPlan {
  /// The values that every record gets, checked against their columns.
  func fixedCells(_ type: RecordType) throws -> [(column: Column, cell: String?)] {
    try fixed.filter { $0.column != "status" }.map { pair in
      guard case .column(let column) = try ImportReader.target(pair.column, type) else {
        throw DomainError(.invalidInput, "--set cannot name \(pair.column): map it to a column of the file")
      }
      return (column, try CellReader(column: column).read(pair.value))
    }
  }
}

/// Collects lines and inserts them with their history, a batch at a time; the feed follows at the end, behind the
/// gate.
struct BatchInsert {
  private let type: RecordType
  private let seat: Seat
  private let access: Access
  private let targets: [ImportReader.Target]
  private let status: ImportStatus
  private let fixed: [(column: Column, cell: String?)]
  private let size: Int
  private var batch: RecordBatch
  private var history: [HistoryRecord] = []
  private var underWay: (inserted: Ticket<UUID>, count: Int)?

  init(
    type: RecordType,
    seat: Seat,
    access: Access,
    reader: ImportReader,
    status: ImportStatus,
    fixed: [(column: Column, cell: String?)],
    size: Int
  ) {
    self.type = type
    self.seat = seat
    self.access = access
    self.status = status
    self.fixed = fixed
    self.size = size
    targets = reader.targets
    batch = RecordBatch(columns: targets.map(\.column) + fixed.map(\.column))
  }

  var isFull: Bool { batch.count >= size }

  /// Adds a line.
  ///
  /// - Throws: `not_found` when it names a record that is not there.
  mutating func take(
    _ line: ImportLine,
    id: UUID,
    _ references: ImportReferences,
    _ work: inout Work,
    _ outcome: inout ImportOutcome
  ) throws {
    var cells = line.cells
    for (index, target) in targets.enumerated() {
      if case .reference = target, let name = cells[index] {
        cells[index] = try references.id(name, at: index).text
      }
    }
    var changes: JSONObject = ["source_line": .integer(line.line)]
    for value in line.unread { changes[value.column] = .array([.string(value.text), .null]) }
    let record = HistoryRecord(
      HistoryDraft(kind: .import, to: status.status?.0, changes: changes),
      type: type.name,
      id: id,
      definition: type.workflow?.version,
      previous: nil,
      at: access.now,
      actorName: seat.actor.name ?? access.userName,
      context: work.context
    )
    batch.append(id: id, hash: record.hash, cells: cells + fixed.map(\.cell))
    history.append(record)
  }

  /// Sends what was collected to be inserted; while the server is at it, the next lines can be taken.
  mutating func flush(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    guard batch.count > 0 else { return }
    let records = type.insert(
      batch,
      company: seat.company.id,
      user: seat.user,
      now: access.now,
      status: status.status
    )
    let entries = HistoryRecord.insert(history, company: seat.company.id)
    try settle(&work, &outcome)
    let inserted = try work.transaction.send { pipeline in
      let inserted = pipeline.rows(records, UUID.self)
      pipeline.execute(entries)
      return inserted
    }
    underWay = (inserted, batch.count)
    batch.removeAll()
    history.removeAll(keepingCapacity: true)
  }

  /// Waits for the batch under way, and tells what came of it: an earlier import may have brought some of it.
  mutating func settle(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    guard let (ticket, count) = underWay else { return }
    underWay = nil
    try work.transaction.collect()
    let inserted = try ticket.all
    outcome.imported += inserted.count
    outcome.alreadyThere += count - inserted.count
    for id in inserted {
      work.changes.feed.append(FeedChange(recordType: type.name, recordID: id, operation: .put, version: 1))
    }
  }
}
