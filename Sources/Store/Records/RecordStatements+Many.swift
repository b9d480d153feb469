package import Domain
package import FoundationEssentials
package import Postgres

/// Records of one type that one statement moves to another status: columns as arrays, one element per record.
package struct StatusBatch: Sendable {
  package private(set) var ids: [UUID] = []
  package private(set) var statuses: [String] = []
  package private(set) var categories: [String] = []
  package private(set) var sequences: [Int64] = []
  package private(set) var hashes: [[UInt8]] = []

  package init() {}

  /// Adds a record, with the head of its history after the move.
  package mutating func append(id: UUID, status: String, category: StateCategory, history: HistoryHead) {
    ids.append(id)
    statuses.append(status)
    categories.append(category.rawValue)
    sequences.append(history.seq)
    hashes.append(history.hash)
  }
}

/// The number of records of a status and category.
package struct StatusCount: RowDecodable, Sendable, Hashable {
  package let status: String
  package let category: String
  package let count: Int64

  package init(row: inout RowReader) throws(PostgresError) {
    status = try row.next()
    category = try row.next()
    count = try row.next()
  }
}

/// One of many locked rows.
package struct LockedRecord: RowDecodable, Sendable {
  package let id: UUID
  package let row: LockedRow
  /// The columns read with the lock.
  package let document: JSON?
  /// The results of the guards evaluated with the lock.
  package let guards: [Bool?]

  package init(row reader: inout RowReader) throws(PostgresError) {
    id = try reader.next()
    row = try LockedRow(row: &reader)
    document = reader.remaining > 0 ? try reader.next() : nil
    guards = reader.remaining > 0 ? try reader.next() : []
  }
}

/// Some columns of a record, with the results of its guards.
package struct GlancedRecord: RowDecodable, Sendable {
  package let id: UUID
  package let document: JSON
  package let guards: [Bool?]

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    document = try row.next()
    guards = try row.next()
  }
}

extension Array where Element == UUID {
  /// The ids without duplicates, in the order in which all writers lock the records of a type.
  package var inLockOrder: [UUID] {
    Set(self).sorted { left, right in
      Swift.withUnsafeBytes(of: left.uuid) { one in
        Swift.withUnsafeBytes(of: right.uuid) { other in one.lexicographicallyPrecedes(other) }
      }
    }
  }
}

/// The statements that work on many records of a type at once.
extension RecordType {
  /// Moves records that this transaction has locked, and writes the same values into all of them.
  ///
  /// The limit is unknown to the planner, so that it expects few rows and looks each up by its key. Otherwise, without
  /// statistics, it may join them with all rows of the company.
  package func updateStatus(
    of batch: StatusBatch,
    company: UUID,
    user: UUID?,
    now: Instant,
    values: [(column: String, value: ColumnValue)] = []
  ) -> SQL {
    let (assigned, document) = assignments(values, user: user, now: now)
    let sets = assigned.map { ", \($0.name) = \($0.expression)" as SQL }
    let source: SQL = document.map { " cross join jsonb_populate_record(null::\(table), \($0)) r" } ?? ""
    return """
      update \(table) t
      set history_seq = x.seq, history_hash = x.hash, version = t.version + 1, updated_by = \(nullable: user),
        updated_at = \(now), status = x.status, status_category = x.category\(SQL.joined(sets, separator: ""))
      from (
        select * from unnest(\(batch.ids), \(batch.statuses), \(batch.categories), \(batch.sequences), \(batch.hashes))
          x (id, status, category, seq, hash)
        limit (select \(Int64(batch.ids.count)))
      ) x\(source)
      where t.company_id = \(company) and t.id = x.id
      """
  }

  /// Counts the living records by status and category.
  package func countByStatus(company: UUID) -> SQL {
    """
    select t.status, t.status_category, count(*)
    from \(table) t
    where t.company_id = \(company) and t.deleted_at is null
    group by t.status, t.status_category
    order by t.status, t.status_category
    """
  }

  /// Locks records whose status or category differs from the target that a map gives for their status.
  /// Includes tombstones, so that they can still be restored.
  package func lockMisplaced(
    company: UUID,
    map: [(from: String, to: String, category: String)],
    limit: Int
  ) -> SQL {
    """
    select t.id, t.version, t.status, t.created_by, t.history_seq, t.history_hash, t.deleted_at is not null
    from \(table) t
    join unnest(\(map.map(\.from)), \(map.map(\.to)), \(map.map(\.category))) m (status, next, category)
      on m.status = t.status and (m.next <> t.status or m.category <> t.status_category)
    where t.company_id = \(company)
    order by t.id
    limit \(limit)
    for no key update of t
    """
  }

  /// Locks the rows of the records whose ids a statement returns.
  ///
  /// The ids are an array, which is read once: without statistics, PostgreSQL may plan a join that compares each
  /// row with each id.
  ///
  /// - Parameter columns: the columns of the table to read with the lock.
  package func lock(company: UUID, ids: SQL, reading columns: [String] = []) -> SQL {
    """
    select t.id, t.version, \(statusColumn), t.created_by, t.history_seq, t.history_hash, t.deleted_at is not null,
      \(isWatched)\(columns.isEmpty ? "" : ", \(Self.document(columns, of: "t"))" as SQL)
    from \(table) t
    where t.company_id = \(company) and t.id = any (array(\(ids)))
    order by t.id
    for no key update of t
    """
  }

  /// Locks the rows of some records in the order of their ids, and reads columns and guards that the table holds.
  ///
  /// Each row is looked up on its own: an array condition on a table without statistics may become a scan of all rows
  /// of the company.
  ///
  /// - Parameters:
  ///   - ids: the ids in the order in which all writers lock; see ``Swift/Array/inLockOrder``.
  ///   - readsWatchers: true to read whether the records have watchers.
  package func lock(
    company: UUID,
    each ids: [UUID],
    reading columns: [String],
    guards: [String],
    readsWatchers: Bool
  ) -> SQL {
    let watched: SQL = readsWatchers ? isWatched : "false"
    return """
      select t.* from unnest(\(ids)) x (id)
      cross join lateral (
        select t.id, t.version, \(statusColumn), t.created_by, t.history_seq, t.history_hash,
          t.deleted_at is not null, \(watched), \(Self.document(columns, of: "t")),
          \(answersInRow(guards, of: "t", records: ids.count))
        from \(table) t
        where t.company_id = \(company) and t.id = x.id
        for no key update of t
      ) t
      """
  }

  /// Locks the rows of some records against change and deletion, as parents of others, in the order of their ids.
  /// Selects their ids and whether they are living; with `owners` also whether one of these columns names the user.
  package func lockAsParents(company: UUID, each ids: [UUID], owners: [String] = [], user: UUID? = nil)
    -> SQL
  {
    let columns = owners.filter { column($0) != nil }.map { "t.\(identifier: $0)" as SQL }
    let isOwn: SQL =
      if owners.isEmpty {
        ""
      } else if columns.isEmpty {
        ", false"
      } else {
        ", coalesce(\(nullable: user)::uuid in (\(SQL.joined(columns, separator: ", "))), false)"
      }
    return """
      select t.* from unnest(\(ids)) x (id)
      cross join lateral (
        select t.id, t.deleted_at is null\(isOwn) from \(table) t
        where t.company_id = \(company) and t.id = x.id
        for share of t
      ) t
      """
  }

  static func document(_ columns: [String], of alias: String) -> SQL {
    let members = columns.map { "\($0)::text, \(identifier: alias, $0)" as SQL }
    return "jsonb_build_object(\(SQL.joined(members, separator: ", ")))"
  }

  /// True if the type's table has all of these columns, so that the view is not needed.
  package func holds(_ columns: [String]) -> Bool { columns.allSatisfy { column($0) != nil } }

  /// Reads some columns of many records, and the results of guards. Runs after the lock as a statement of its
  /// own, because a locking statement would return values from before the lock. The view is read only if
  /// there are guards or the table lacks a column.
  package func glance(company: UUID, ids: [UUID], columns: [String], guards: [String]) -> SQL {
    let source = guards.isEmpty && holds(columns) ? table : view
    let answers = answers(guards, about: "d.doc", records: ids.count)
    let whole: SQL = guards.isEmpty ? "" : " cross join lateral (select to_jsonb(v) as doc offset 0) d"
    return """
      select v.id, \(Self.document(columns, of: "v")), \(answers)
      from \(source) v\(whole)
      where v.company_id = \(company) and v.id = any (\(ids))
      """
  }

  /// Reads many records as the view shows them, and the results of guards. Each is looked up on its own, whatever the
  /// statistics say.
  package func whole(company: UUID, each ids: [UUID], guards: [String]) -> SQL {
    """
    select x.id, d.doc, \(answers(guards, about: "d.doc", records: ids.count))
    from unnest(\(ids)) x (id)
    cross join lateral (
      select to_jsonb(v) as doc from \(view) v
      where v.company_id = \(company) and v.id = x.id\(alive)
      offset 0
    ) d
    """
  }

  /// Reads the columns of some records that refer to others, deleted records included.
  package func references(company: UUID, each ids: [UUID]) -> SQL {
    """
    select d.doc from unnest(\(ids)) x (id)
    cross join lateral (
      select \(Self.document(definition.references.map(\.column), of: "t")) as doc from \(table) t
      where t.company_id = \(company) and t.id = x.id
    ) d
    """
  }

  /// True if guards name columns of the table only, so that they can be evaluated on the locked row.
  package func canAnswerInRow(_ guards: [String]) -> Bool {
    guards.allSatisfy { text in
      // A wildcard may read any column of the view.
      !text.utf8.contains(UInt8(ascii: "*")) && holds(GuardPath(text).columns)
    }
  }

  /// Returns an expression for the answers of guards that ``canAnswerInRow(_:)``, about a row of the table.
  func answersInRow(_ guards: [String], of alias: String, records: Int) -> SQL {
    // The whole row as a document costs more than the guards, and most of them name a column or two.
    let named = Set(guards.flatMap { GuardPath($0).columns }).sorted()
    return answers(guards, about: Self.document(named, of: alias), records: records)
  }
}
