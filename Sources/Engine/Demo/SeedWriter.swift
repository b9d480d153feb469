internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// A made-up record.
struct Seed {
  /// A change after it was made.
  struct Step {
    let draft: HistoryDraft
    let at: Timestamp
  }

  let id: UUID
  let createdAt: Timestamp
  /// The member who made it.
  let maker: UUID?
  /// The status it has in the end.
  var status: String?
  /// Its columns as text, in the order of the writer's.
  let cells: [String?]
  /// What happened to it since, oldest first.
  var steps: [Step] = []
  var isDeleted = false
}

/// Writes made-up records of one type into one company: rows, history of kind import, and their place in the feed.
///
/// Within a transaction in the write mode `import`, inside the company, and for private types inside their owner. Only
/// a batch is in memory. Whatever is there already is passed over, so that a second run adds nothing.
struct SeedWriter {
  private static let batchSize = 1_000

  private let type: RecordType
  private let context: WorkContext
  private let tx: Transaction
  private var batch: SeedBatch
  private var history: [HistoryRecord] = []
  private var versions: [UUID: (version: Int64, isDeleted: Bool)] = [:]
  /// How many were not there before.
  private(set) var inserted = 0

  /// - Parameter computed: columns that PostgreSQL computes from the others, as SQL over `x`.
  init(
    _ name: String,
    _ columns: [String],
    computed: [(column: String, expression: SQL)] = [],
    catalogue: TypeCatalogue,
    context: WorkContext,
    _ tx: Transaction
  ) throws {
    let type = try catalogue.type(name)
    self.type = type
    self.context = context
    self.tx = tx
    let known = try columns.map { column in
      guard let found = type.column(column) else {
        throw DomainError(.unknownFields, "\(name) has no column \(column)")
      }
      return found
    }
    batch = SeedBatch(columns: known, computed: computed)
  }

  /// Adds a record, and writes a batch when one is full.
  mutating func add(_ seed: Seed) throws {
    let first = seed.steps.first?.draft.from ?? seed.status
    var chain = [link(HistoryDraft(kind: .import, to: first), seed.id, after: nil, at: seed.createdAt)]
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
    versions[seed.id] = (Int64(chain.count), seed.isDeleted)
    history += chain
    if batch.count >= Self.batchSize { try flush() }
  }

  /// Writes what is left.
  mutating func flush() throws {
    guard batch.count > 0, let last = history.last else { return }
    // Made-up times of today may still be to come; the feed tells when a change was there to be seen.
    let now = try tx.value("select now()", as: Timestamp.self)
    let newest = Timestamp(microseconds: min(last.entry.occurred.microseconds, now.microseconds))
    let (records, entries) = (
      batch.insert(into: type, company: context.company),
      HistoryRecord.insertSeeds(history, company: context.company)
    )
    let made = try tx.pipeline { pipeline in
      let made = pipeline.rows(records, UUID.self)
      pipeline.execute(entries)
      return made
    }.all
    try feed(made, newest)
    inserted += made.count
    batch.removeAll()
    history.removeAll(keepingCapacity: true)
    versions.removeAll(keepingCapacity: true)
  }

  /// Every version takes a number of its own, as if it had been written by itself: first all first ones, then the
  /// later ones of those that have any.
  private func feed(_ made: [UUID], _ now: Timestamp) throws {
    guard !made.isEmpty else { return }
    let owner = type.definition.scope == .owner ? context.user : nil
    let latest = made.compactMap { versions[$0]?.version }.max() ?? 1
    try tx.pipeline { pipeline in
      pipeline.execute(FeedWriter.gate(company: context.company))
      for version in 1...latest {
        let changes = made.compactMap { id -> FeedChange? in
          guard let last = versions[id], last.version >= version else { return nil }
          return FeedChange(
            recordType: type.name,
            recordID: id,
            owner: owner,
            operation: last.isDeleted && last.version == version ? .delete : .put,
            version: version
          )
        }
        pipeline.execute(FeedWriter.write(changes, company: context.company, now: now))
      }
    }
  }

  private func link(_ draft: HistoryDraft, _ id: UUID, after previous: HistoryHead?, at: Timestamp)
    -> HistoryRecord
  {
    HistoryRecord(
      draft,
      type: type.name,
      id: id,
      definition: type.workflow?.version,
      previous: previous,
      at: at,
      actorName: context.actor.name,
      context: context,
      // Made-up text needs no protection, and must be the same in every run.
      salt: withUnsafeBytes(of: id.uuid) { Array($0) }
    )
  }
}
