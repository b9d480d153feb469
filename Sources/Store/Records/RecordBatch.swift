internal import Domain
package import FoundationEssentials
package import Postgres

/// Records of one type that one statement inserts: columns as arrays, one element per record.
package struct RecordBatch: Sendable {
  /// The ids, in the order of all other arrays.
  package var ids: [UUID] = []
  /// The hash of each record's first history entry.
  package var hashes: [[UInt8]] = []
  /// The values of each column, as texts that PostgreSQL converts to the column's type.
  package var values: [[String?]]
  /// The columns of ``values``.
  package let columns: [Column]

  package init(columns: [Column]) {
    self.columns = columns
    values = columns.map { _ in [] }
  }

  /// The number of records.
  package var count: Int { ids.count }

  /// Adds a record; `cells` has one element for each of ``columns``.
  package mutating func append(id: UUID, hash: [UInt8], cells: [String?]) {
    ids.append(id)
    hashes.append(hash)
    for (index, cell) in cells.enumerated() { values[index].append(cell) }
  }

  /// Returns some of the records.
  package func part(_ range: Range<Int>) -> RecordBatch {
    var part = RecordBatch(columns: columns)
    part.ids = Array(ids[range])
    part.hashes = Array(hashes[range])
    part.values = values.map { Array($0[range]) }
    return part
  }

  /// Removes all records and keeps the capacity.
  package mutating func removeAll() {
    ids.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
    for index in values.indices { values[index].removeAll(keepingCapacity: true) }
  }
}

extension RecordType {
  /// Inserts a batch of first versions with their base columns stamped, and returns the ids of the inserted
  /// rows. Records that the table already has are skipped, tombstones included, so that deleted imports stay
  /// deleted.
  package func insert(
    _ batch: RecordBatch,
    company: UUID,
    user: UUID?,
    now: Instant,
    status: (String, String)?
  ) -> SQL {
    var names: [SQL] = [
      "company_id", "id", "created_by", "created_at", "updated_by", "updated_at", "history_seq",
      "history_hash",
    ]
    var expressions: [SQL] = [
      "\(company)", "x.id", "\(nullable: user)", "\(now)", "\(nullable: user)", "\(now)", "1", "x.hash",
    ]
    if let status {
      names += ["status", "status_category"]
      expressions += ["\(status.0)", "\(status.1)"]
    }
    var sources: [SQL] = ["\(batch.ids)", "\(batch.hashes)"]
    var aliases: [SQL] = ["id", "hash"]
    for (index, column) in batch.columns.enumerated() {
      // Safe to splice: the type's name comes from PostgreSQL's own catalogue.
      let alias: SQL = "\(identifier: "c\(index)")"
      names.append("\(identifier: column.name)")
      expressions.append("x.\(alias)::\(SQL(trusted: column.type))")
      sources.append("\(batch.values[index])")
      aliases.append(alias)
    }
    return """
      insert into \(table) (\(SQL.joined(names, separator: ", ")))
      select \(SQL.joined(expressions, separator: ", "))
      from unnest(\(SQL.joined(sources, separator: ", "))) x (\(SQL.joined(aliases, separator: ", ")))
      on conflict (company_id, id) do nothing
      returning id
      """
  }
}
