internal import Domain
internal import FoundationEssentials
package import Postgres
internal import Store

/// Writes generated records of one transaction, and collects their history and feed. A member has only a few records of
/// each type, so that collecting them keeps the number of statements small.
///
/// Requires a transaction in the write mode `import`, inside the company. For private types its user must be
/// their owner. A class because the apps of one transaction share it.
package final class SeedLedger {
  /// The number of history entries that are written together.
  private static let size = 4_000

  let catalogue: TypeCatalogue
  let tx: Transaction
  private let context: WorkContext
  private var history: [HistoryRecord] = []
  private var changes: [FeedChange] = []

  init(_ context: WorkContext, _ catalogue: TypeCatalogue, _ tx: Transaction) {
    self.context = context
    self.catalogue = catalogue
    self.tx = tx
  }

  /// Writes records of one type. Existing records are skipped, so that a second run adds nothing.
  ///
  /// - Parameters:
  ///   - columns: the columns of ``Seed/cells``, in their order.
  ///   - computed: columns that PostgreSQL computes, as SQL over the row `x` of the other columns.
  /// - Returns: the number of new records.
  /// - Throws: `unknown_fields` for a column that the type does not have, `invalid_input` for a status that its
  ///   workflow does not have.
  package func write(
    _ name: String,
    _ columns: [String],
    computed: [(column: String, expression: SQL)] = [],
    _ seeds: [Seed]
  ) throws -> Int {
    let type = try catalogue.type(name)
    let owner = try type.feedOwner(context.user)
    let numbered = type.definition.number == nil ? [] : NumberRule.columns
    let known = try (columns + numbered).map { column in
      guard let found = type.column(column) else {
        throw DomainError(.unknownFields, "\(name) has no column \(column)")
      }
      return found
    }
    var inserted = 0
    for part in seeds.chunked() {
      var batch = RecordBatch(type, known, computed: computed)
      var numbers = try type.definition.number.map {
        try NumberStore.reserve(part.count, of: type, $0, company: context.company, tx)
      }
      let chains = try part.map { seed in
        let chain = chain(of: seed, type)
        let number = numbers?.take()
        batch.append(
          id: seed.id,
          hash: chain.last?.hash ?? [],
          RecordBatch.Stamp(
            by: seed.maker,
            at: seed.createdAt,
            updated: seed.updatedAt,
            isDeleted: seed.isDeleted,
            version: Int64(chain.count),
            status: try seed.status.map { ($0, try category(of: $0, type)) }
          ),
          cells: seed.cells + (number.map { [$0.text, String($0.counter)] } ?? [])
        )
        return chain
      }
      let made = try tx.rows(batch.insert(company: context.company), UUID.self)
      if let numbers, made.count < part.count {
        try tx.execute(NumberStore.release(numbers, of: type, company: context.company))
      }
      let new = Set(made)
      for (seed, entries) in zip(part, chains) where new.contains(seed.id) {
        history += entries
        changes.append(
          FeedChange(
            recordType: name,
            recordID: seed.id,
            owner: owner,
            operation: seed.isDeleted ? .delete : .put,
            version: Int64(entries.count),
            at: seed.updatedAt
          )
        )
      }
      inserted += made.count
      if history.count >= Self.size { try flush() }
    }
    return inserted
  }

  /// Writes the collected rows. Must be called before the transaction ends.
  func flush() throws {
    guard !history.isEmpty else { return }
    let company = context.company
    try tx.pipeline { pipeline in
      for part in history.chunked() { pipeline.execute(HistoryRecord.insert(part, company: company)) }
      pipeline.execute(FeedWriter.gate(company: company))
      pipeline.execute(FeedWriter.write(changes, company: company))
    }
    history.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
  }

  private func category(of status: String, _ type: RecordType) throws -> String {
    guard let state = type.workflow?.state(status) else {
      throw DomainError(.invalidInput, "\(type.name) has no status \(status)")
    }
    return state.category.rawValue
  }

  /// Returns the history of a record, oldest first. Every entry makes a new version.
  private func chain(of seed: Seed, _ type: RecordType) -> [HistoryRecord] {
    let first = HistoryDraft(kind: .import, to: seed.steps.first?.draft.from ?? seed.status)
    var chain: [HistoryRecord] = []
    for step in [Seed.Step(draft: first, at: seed.createdAt)] + seed.steps {
      chain.append(
        HistoryRecord(
          step.draft,
          type: type.name,
          id: seed.id,
          definition: type.workflow?.version,
          previous: chain.last?.head,
          version: Int64(chain.count + 1),
          at: step.at,
          actorName: context.actor.name,
          context: context,
          // Generated text needs no secret salt, and must be the same in each run.
          salt: withUnsafeBytes(of: seed.id.uuid) { Array($0) }
        )
      )
    }
    return chain
  }
}
