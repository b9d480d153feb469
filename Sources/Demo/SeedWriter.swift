internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// A generated record.
package struct Seed {
  /// A change after the creation of the record.
  package struct Step {
    let draft: HistoryDraft
    let at: Instant

    package init(draft: HistoryDraft, at: Instant) {
      self.draft = draft
      self.at = at
    }
  }

  package let id: UUID
  package let createdAt: Instant
  /// The member who created the record; nil for none.
  package let maker: UUID?
  /// The final status.
  package var status: String?
  /// The column values as text, in the order of the writer's columns.
  package let cells: [String?]
  /// The later changes, oldest first.
  package var steps: [Step] = []
  package var isDeleted = false

  package init(id: UUID, createdAt: Instant, maker: UUID?, status: String? = nil, cells: [String?]) {
    self.id = id
    self.createdAt = createdAt
    self.maker = maker
    self.status = status
    self.cells = cells
  }
}

/// Writes generated records of one type into one company, and adds them to the ledger.
///
/// Requires a transaction in the write mode `import`, inside the company. For private types its user must be
/// their owner. Memory holds one batch of 1,000 records. Existing records are skipped, so that a second run
/// adds nothing.
package struct SeedWriter {
  private static let batchSize = 1_000

  private let type: RecordType
  private let ledger: SeedLedger
  private var batch: SeedBatch
  private var pending: [SeedLedger.Line] = []
  /// Number of newly inserted records.
  package private(set) var inserted = 0

  /// - Parameter computed: columns that PostgreSQL computes, as SQL over the row `x` of the other columns.
  /// - Throws: `unknown_fields` for a column that the type does not have.
  init(
    _ name: String,
    _ columns: [String],
    computed: [(column: String, expression: SQL)] = [],
    catalogue: TypeCatalogue,
    ledger: SeedLedger
  ) throws {
    let type = try catalogue.type(name)
    self.type = type
    self.ledger = ledger
    let known = try columns.map { column in
      guard let found = type.column(column) else {
        throw DomainError(.unknownFields, "\(name) has no column \(column)")
      }
      return found
    }
    batch = SeedBatch(columns: known, computed: computed)
  }

  /// Adds a record, and flushes when a batch is full.
  ///
  /// - Throws: `invalid_input` for a status that the type's workflow does not have.
  package mutating func add(_ seed: Seed) throws {
    let first = seed.steps.first?.draft.from ?? seed.status
    let origin = link(HistoryDraft(kind: .import, to: first), seed.id, after: nil, at: seed.createdAt)
    var chain = [origin]
    for step in seed.steps {
      chain.append(link(step.draft, seed.id, after: chain.last?.head, at: step.at))
    }
    let status = try seed.status.map { name in
      guard let state = type.workflow?.state(name) else {
        throw DomainError(.invalidInput, "\(type.name) has no status \(name)")
      }
      return (name, state.category.rawValue)
    }
    batch.append(
      maker: seed.maker,
      status: status,
      isDeleted: seed.isDeleted,
      history: chain,
      cells: seed.cells
    )
    pending.append(SeedLedger.Line(origin: origin, steps: chain.dropFirst(), isDeleted: seed.isDeleted))
    if batch.count >= Self.batchSize { try flush() }
  }

  /// Writes the remaining records. Must be called after the last ``add(_:)``.
  package mutating func flush() throws {
    guard batch.count > 0 else { return }
    let company = ledger.context.company
    let numbers = try type.definition.number.map {
      try NumberStore.reserve(batch.count, of: type, $0, company: company, ledger.tx)
    }
    let made = try ledger.tx.rows(batch.insert(into: type, company: company, numbers: numbers), UUID.self)
    if let numbers, made.count < batch.count {
      try ledger.tx.execute(NumberStore.release(numbers, of: type, company: company))
    }
    if made.count < pending.count {
      let new = Set(made)
      pending.removeAll { !new.contains($0.origin.entry.record) }
    }
    inserted += made.count
    try ledger.add(pending, of: type)
    batch.removeAll()
    pending.removeAll(keepingCapacity: true)
  }

  private func link(_ draft: HistoryDraft, _ id: UUID, after previous: HistoryHead?, at: Instant)
    -> HistoryRecord
  {
    HistoryRecord(
      draft,
      type: type.name,
      id: id,
      definition: type.workflow?.version,
      previous: previous,
      // Every step of a seed makes a new version.
      version: (previous?.seq ?? 0) + 1,
      at: at,
      actorName: ledger.context.actor.name,
      context: ledger.context,
      // Generated text needs no secret salt, and must be the same in each run.
      salt: withUnsafeBytes(of: id.uuid) { Array($0) }
    )
  }
}
