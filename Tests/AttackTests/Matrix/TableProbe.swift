import Postgres
import TestDatabase

/// Tries every verb on one relation in a transaction of company A, and undoes it.
struct TableProbe {
  /// The beginning of all ids of company B.
  static let mark = "b0000000-0000-7000-8000-"

  let relation: Relation
  /// A row of company B as JSON, or any row of a global table; `{}` for an empty one.
  let row: String
  /// The number of rows that do not belong to company B.
  let others: Int
  /// The columns that the role may read, insert and update; all columns if it may none.
  let readable: [String]
  let insertable: [String]
  let updatable: [String]

  /// Reads what an attacker would know, as a superuser.
  init(_ relation: Relation, as role: String, _ superuser: Transaction) throws {
    self.relation = relation
    let table = relation.quoted
    row =
      try superuser.value(
        SQL(
          trusted: """
            select to_jsonb(t)::text from \(table) t
            order by to_jsonb(t)::text like '%\(Self.mark)%' desc limit 1
            """
        ),
        as: String?.self
      ) ?? "{}"
    others = try superuser.value(
      SQL(trusted: "select count(*) from \(table) t where to_jsonb(t)::text not like '%\(Self.mark)%'"),
      as: Int.self
    )
    func columns(_ privilege: String) throws -> [String] {
      let granted = try superuser.rows(
        """
        select n from unnest(\(relation.columns)) n
        where has_column_privilege(\(role)::text, \(table)::text, n, \(privilege)::text)
        """,
        String.self
      )
      return granted.isEmpty ? relation.columns : granted
    }
    readable = try columns("select")
    insertable = try columns("insert")
    updatable = try columns("update")
  }

  /// Returns the rows that the role reaches by a verb; nil if the verb does not fit the relation.
  func reach(_ verb: Verb, _ tx: Transaction) throws -> Reach? {
    let table = relation.quoted
    switch verb {
    case .select: return try read(tx)
    case .copyTo: return try export(tx)
    case .insert: return try write(tx, "\(insertion)")
    case .upsert: return try write(tx, "\(insertion) \(onConflict)")
    case .update:
      let column = quoted(updatable[0])
      return try change(tx, "update \(table) set \(column) = \(column)")
    case .move:
      guard relation.columns.contains("company_id") else { return nil }
      let own = readable.contains("company_id") ? " where company_id = '\(TwoCompanies.a)'" : ""
      return try write(tx, "update \(table) set company_id = '\(TwoCompanies.b)'\(own)", atLeast: 1)
    case .delete: return try change(tx, "delete from \(table)")
    // Cascading, because a table that others refer to is otherwise refused to its owner too.
    case .truncate: return try write(tx, "truncate \(table) cascade")
    case .copyFrom: return try copyIn(tx)
    case .lock: return try write(tx, "lock table \(table) in access exclusive mode nowait")
    }
  }

  private func quoted(_ column: String) -> String { "\"\(column)\"" }

  private func read(_ tx: Transaction) throws -> Reach {
    let columns = readable.map(quoted).joined(separator: ", ")
    let marked = "count(*) filter (where to_jsonb(t)::text like '%\(Self.mark)%')"
    let sql = "select count(*), \(marked) from (select \(columns) from \(relation.quoted)) t"
    return try attempt(tx) { tx in
      let (all, theirs) = try tx.first(SQL(trusted: sql), Int.self, Int.self) ?? (0, 0)
      return reached(all: all, theirs: theirs)
    }
  }

  private func export(_ tx: Transaction) throws -> Reach {
    let columns = readable.map(quoted).joined(separator: ", ")
    return try attempt(tx) { tx in
      var theirs = 0
      let query = SQL(trusted: "select \(columns) from \(relation.quoted)")
      let all = try tx.copyOut(query, as: .text) { line in
        let text = line.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        if text.contains(Self.mark) { theirs += 1 }
      }
      return reached(all: all, theirs: theirs)
    }
  }

  private func reached(all: Int, theirs: Int) -> Reach {
    guard relation.isOfCompanies else { return .all }
    // A role that may not read the ids of company B may still see its rows.
    return theirs > 0 || all > others ? .all : .own
  }

  /// A statement that has reached everything if it succeeds for at least a number of rows.
  private func write(_ tx: Transaction, _ sql: String, atLeast rows: Int = 0) throws -> Reach {
    try attempt(tx) { try $0.execute(SQL(trusted: sql)) >= rows ? .all : .own }
  }

  /// An update or a deletion of company B's rows, or of all rows if their company cannot be read.
  private func change(_ tx: Transaction, _ sql: String) throws -> Reach {
    let isAimed = relation.columns.contains("company_id") && readable.contains("company_id")
    let condition = isAimed ? " where company_id = '\(TwoCompanies.b)'" : ""
    return try attempt(tx) { tx in
      let rows = try tx.execute(SQL(trusted: sql + condition))
      guard relation.isOfCompanies else { return .all }
      return rows > (isAimed ? 0 : others) ? .all : .own
    }
  }

  private func copyIn(_ tx: Transaction) throws -> Reach {
    try attempt(tx) { tx in
      try tx.copy(into: Identifier(relation.schema, relation.name), columns: [], as: .text) { _ in }
      return .all
    }
  }

  private var insertion: String {
    let columns = insertable.map(quoted).joined(separator: ", ")
    let row = row.replacing("'", with: "''")
    // With the id of an existing row, the unique key would refuse what a policy should.
    let fresh = relation.key.contains("id") ? " || jsonb_build_object('id', gen_random_uuid())" : ""
    return """
      insert into \(relation.quoted) (\(columns))
      select \(columns) from jsonb_populate_record(null::\(relation.quoted), '\(row)'::jsonb\(fresh))
      """
  }

  private var onConflict: String {
    guard !relation.key.isEmpty, let column = updatable.first else { return "on conflict do nothing" }
    let key = relation.key.map(quoted).joined(separator: ", ")
    return "on conflict (\(key)) do update set \(quoted(column)) = excluded.\(quoted(column))"
  }

  /// Runs a statement and undoes it.
  private func attempt(_ tx: Transaction, _ body: (Transaction) throws -> Reach) throws -> Reach {
    struct Undone: Error { let reach: Reach }
    do {
      try tx.savepoint { inner throws -> Void in throw Undone(reach: try body(inner)) }
      return .nothing
    } catch let undone as Undone {
      return undone.reach
    } catch let error as PostgresError {
      guard let state = error.sqlState?.rawValue else { throw error }
      return Self.refusals.contains(state) || state.hasPrefix("FT") ? .nothing : .all
    }
  }

  /// Errors that come before any row is reached. Any other error, such as a violated key, shows that the
  /// policies let a row pass.
  private static let refusals: Set = [
    // Permission or policy; COPY under row-level security; the wrong kind of relation; a view that cannot be
    // written; no such key. `FT…` are those of the guard of records.
    "42501", "0A000", "42809", "55000", "42P10",
  ]
}
