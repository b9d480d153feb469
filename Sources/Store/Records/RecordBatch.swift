internal import Domain
package import FoundationEssentials
package import Postgres

/// New records of one type that one statement inserts.
package struct RecordBatch: Sendable {
  /// The creator, times and state of a record; those that all records of a batch have in common are sent once.
  package struct Stamp: Sendable, Equatable {
    let creator: UUID?
    let created: Instant
    let updated: Instant
    let isDeleted: Bool
    /// The version, which is also the number of history entries.
    let version: Int64
    let status: String?
    let category: String?

    /// - Parameters:
    ///   - updated: the time of the last change of a generated record; nil for a first version.
    ///   - status: the status and its category; nil for a type without a workflow.
    package init(
      by creator: UUID?,
      at created: Instant,
      updated: Instant? = nil,
      isDeleted: Bool = false,
      version: Int64 = 1,
      status: (String, String)?
    ) {
      self.creator = creator
      self.created = created
      self.updated = updated ?? created
      self.isDeleted = isDeleted
      self.version = version
      self.status = status?.0
      category = status?.1
    }
  }

  package let type: RecordType
  /// The columns of the cells.
  package let columns: [Column]
  /// Columns that PostgreSQL computes from the others, as SQL over `x`.
  private let computed: [(column: String, expression: SQL)]
  /// The ids, in the order of all other arrays.
  package private(set) var ids: [UUID] = []
  private var stamps: [Stamp] = []
  /// The hash of each record's newest history entry.
  private var hashes: [[UInt8]] = []
  /// The values of each column, as texts that PostgreSQL converts to the column's type.
  private var values: [[String?]]

  package init(
    _ type: RecordType,
    _ columns: [Column],
    computed: [(column: String, expression: SQL)] = []
  ) {
    self.type = type
    self.columns = columns
    self.computed = computed
    values = columns.map { _ in [] }
  }

  /// The number of records.
  package var count: Int { ids.count }

  /// Adds a record; `cells` has one element for each of ``columns``.
  package mutating func append(id: UUID, hash: [UInt8], _ stamp: Stamp, cells: [String?]) {
    ids.append(id)
    hashes.append(hash)
    stamps.append(stamp)
    for (index, cell) in cells.enumerated() { values[index].append(cell) }
  }

  /// Returns some of the records.
  package func part(_ range: Range<Int>) -> RecordBatch {
    var part = self
    part.ids = Array(ids[range])
    part.hashes = Array(hashes[range])
    part.stamps = Array(stamps[range])
    part.values = values.map { Array($0[range]) }
    return part
  }

  /// Removes all records and keeps the capacity.
  package mutating func removeAll() {
    ids.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
    stamps.removeAll(keepingCapacity: true)
    for index in values.indices { values[index].removeAll(keepingCapacity: true) }
  }

  /// Returns the statement that inserts the records, and returns the ids of the inserted rows. Records that the table
  /// already has are skipped, tombstones included, so that deleted imports stay deleted.
  package func insert(company: UUID) -> SQL {
    var rows = ManyRows(stamps[...], isUniform: stamps.allSatisfy { $0 == stamps[0] })
    rows.column("id", ids)
    rows.shared("created_by", \.creator)
    rows.shared("created_at", \.created)
    rows.shared("updated_by", \.creator)
    rows.shared("updated_at", \.updated)
    rows.shared("deleted_at") { $0.isDeleted ? $0.updated : nil }
    rows.shared("version", \.version)
    rows.shared("history_seq", \.version)
    rows.column("history_hash", hashes)
    if type.workflow != nil {
      rows.shared("status", \.status)
      rows.shared("status_category", \.category)
    }
    for (column, cells) in zip(columns, values) {
      // Safe to splice: the type's name comes from PostgreSQL's own catalogue.
      rows.column("\(identifier: column.name)", cells, as: SQL(trusted: column.type))
    }
    for item in computed { rows.column("\(identifier: item.column)", is: item.expression) }
    return """
      \(rows.insert(into: type.table, company: company))
      on conflict (company_id, id) do nothing
      returning id
      """
  }
}
