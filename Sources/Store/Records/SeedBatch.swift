internal import Domain
package import FoundationEssentials
package import Postgres

/// Generated records of one type that one statement inserts, each with its own time, creator, status and
/// version.
///
/// ``RecordBatch`` stamps imported records with the current time. Generated records must be identical in all
/// runs, stamps included.
package struct SeedBatch: Sendable {
  private var ids: [UUID] = []
  private var makers: [UUID?] = []
  private var created: [Instant] = []
  private var updated: [Instant] = []
  private var deleted: [Instant?] = []
  private var heads: (seqs: [Int64], hashes: [[UInt8]]) = ([], [])
  private var versions: [Int64] = []
  private var statuses: (names: [String?], categories: [String?]) = ([], [])
  private var values: [[String?]]
  private let columns: [Column]
  /// Columns that PostgreSQL computes from the others, as SQL over `x`.
  private let computed: [(column: String, expression: SQL)]

  package init(columns: [Column], computed: [(column: String, expression: SQL)] = []) {
    self.columns = columns
    self.computed = computed
    values = columns.map { _ in [] }
  }

  /// The number of records.
  package var count: Int { ids.count }

  /// Adds a record with its history, oldest first; `cells` has one element for each column. Does nothing if
  /// the history is empty.
  package mutating func append(
    maker: UUID?,
    status: (String, String)?,
    isDeleted: Bool,
    history: [HistoryRecord],
    cells: [String?]
  ) {
    guard let first = history.first, let last = history.last else { return }
    let at = last.entry.occurred
    ids.append(first.entry.record)
    makers.append(maker)
    created.append(first.entry.occurred)
    updated.append(at)
    deleted.append(isDeleted ? at : nil)
    heads.seqs.append(last.seq)
    heads.hashes.append(last.hash)
    versions.append(Int64(history.count))
    statuses.names.append(status?.0)
    statuses.categories.append(status?.1)
    for (index, cell) in cells.enumerated() { values[index].append(cell) }
  }

  /// Removes all records.
  package mutating func removeAll() {
    self = SeedBatch(columns: columns, computed: computed)
  }

  /// Returns the statement that inserts the records, skips existing ones, and returns the ids of the inserted
  /// ones.
  ///
  /// - Parameter numbers: a block with one number for each record; nil for a type without numbers.
  package func insert(into type: RecordType, company: UUID, numbers: NumberBlock? = nil) -> SQL {
    var names: [SQL] = [
      "company_id", "id", "created_by", "created_at", "updated_by", "updated_at", "deleted_at", "version",
      "history_seq", "history_hash",
    ]
    var expressions: [SQL] = [
      "\(company)", "x.id", "x.maker", "x.created", "x.maker", "x.updated", "x.deleted", "x.version",
      "x.history_seq", "x.history_hash",
    ]
    var sources: [SQL] = [
      "\(ids)", "\(makers)", "\(created)", "\(updated)", "\(deleted)", "\(versions)", "\(heads.seqs)",
      "\(heads.hashes)",
    ]
    // Named like base columns, since a type's own column could have the short name.
    var aliases: [SQL] = [
      "id", "maker", "created", "updated", "deleted", "version", "history_seq", "history_hash",
    ]
    if type.workflow != nil {
      names += ["status", "status_category"]
      expressions += ["x.status", "x.status_category"]
      sources += ["\(statuses.names)", "\(statuses.categories)"]
      aliases += ["status", "status_category"]
    }
    for (index, column) in columns.enumerated() {
      // Safe to splice: the type's name comes from PostgreSQL's own catalogue.
      names.append("\(identifier: column.name)")
      expressions.append("x.\(identifier: column.name)::\(SQL(trusted: column.type))")
      sources.append("\(values[index])")
      aliases.append("\(identifier: column.name)")
    }
    if var numbers {
      let taken = ids.map { _ in numbers.take() }
      names += ["number", "number_seq"]
      expressions += ["x.number", "x.number_seq"]
      sources += ["\(taken.map { $0?.text })", "\(taken.map { $0?.counter })"]
      aliases += ["number", "number_seq"]
    }
    for item in computed {
      names.append("\(identifier: item.column)")
      expressions.append(item.expression)
    }
    return """
      insert into \(type.table) (\(SQL.joined(names, separator: ", ")))
      select \(SQL.joined(expressions, separator: ", "))
      from unnest(\(SQL.joined(sources, separator: ", "))) x (\(SQL.joined(aliases, separator: ", ")))
      on conflict (company_id, id) do nothing
      returning id
      """
  }
}
