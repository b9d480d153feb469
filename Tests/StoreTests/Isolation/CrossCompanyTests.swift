import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Company A's context cannot read or change company B's rows, in any record table.
@Suite struct CrossCompanyTests {
  private struct Key: Sendable {
    let name: String
    let columns: [String]
    let target: String
    let targetColumns: [String]
  }

  private static let logins = ["fettle_app", "fettle_worker"]

  @Test(arguments: logins)
  func `a row that is in order can be inserted in one's own company`(_ role: String) async throws {
    try await Self.everyTable(role) { table, columns, tx in
      let state = try Refusal.state(tx) { try $0.execute(Self.copy(table, columns, changing: [:])) }
      #expect(state == nil, "\(table)")
    }
  }

  @Test(arguments: logins)
  func `no row can be inserted into another company`(_ role: String) async throws {
    try await Self.everyTable(role) { table, columns, tx in
      let state = try Refusal.state(tx) {
        try $0.execute(Self.copy(table, columns, changing: ["company_id": TwoCompanies.b]))
      }
      #expect(state == "42501", "\(table)")
    }
  }

  @Test(arguments: logins)
  func `no row can be moved to another company`(_ role: String) async throws {
    try await Self.everyTable(role) { table, _, tx in
      let state = try Refusal.state(tx) {
        try $0.execute(SQL(trusted: "update \(table) set company_id = '\(TwoCompanies.b)'"))
      }
      // The guard, a trigger before the row, runs before the policy's check.
      #expect(state == "FT003" || state == "42501", "\(table): \(state ?? "moved")")
    }
  }

  @Test(arguments: logins)
  func `another company's rows cannot be changed, locked or deleted`(_ role: String) async throws {
    try await Self.everyTable(role) { table, _, tx in
      let changed = try tx.execute(
        SQL(trusted: "update \(table) set updated_at = now() where company_id = '\(TwoCompanies.b)'")
      )
      #expect(changed == 0, "\(table)")
      let locked = try tx.execute(
        SQL(trusted: "select from \(table) where company_id = '\(TwoCompanies.b)' for no key update")
      )
      #expect(locked == 0, "\(table)")
      let deleted = try Refusal.state(tx) { try $0.execute(SQL(trusted: "delete from \(table)")) }
      #expect(deleted == "42501", "\(table)")
    }
  }

  @Test func `an upsert onto another company's key reaches nothing`() async throws {
    try await Self.everyTable("fettle_app") { table, columns, tx in
      let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
      let upsert = """
        insert into \(table) (\(names))
        select \(names) from jsonb_populate_record(null::\(table),
          (select to_jsonb(t) || '{"company_id": "\(TwoCompanies.b)"}' from \(table) t limit 1))
        on conflict (company_id, id) do update set updated_at = now()
        """
      let state = try Refusal.state(tx) { try $0.execute(SQL(trusted: upsert)) }
      #expect(state == "42501", "\(table)")
    }
  }

  @Test func `no foreign key of a record table reaches another company`() async throws {
    let companies = try await TwoCompanies.shared()
    var checked = 0
    for table in try await Self.tables() {
      let columns = try await Self.columns(table)
      for key in try await Self.keys(table) {
        let pairs = zip(key.columns, key.targetColumns).filter { $0.0 != "company_id" }
        let theirs = try await companies.superuser.value(
          SQL(
            trusted: """
              select array[\(pairs.map { "t.\($0.1)" }.joined(separator: ", "))] from \(key.target) t
              where t.company_id = '\(TwoCompanies.b)' limit 1
              """
          ),
          as: [UUID].self
        )
        let changes = Dictionary(uniqueKeysWithValues: zip(pairs.map(\.0), theirs))
        let state = try await companies.app.transaction(Self.writing) { tx in
          let state = try Refusal.state(tx) { try $0.execute(Self.copy(table, columns, changing: changes)) }
          try tx.rollback()
          return state
        }
        // A private row of another member is refused before its foreign key is checked.
        let changesOwner = key.columns.contains("created_by") && state == "42501"
        #expect(state == "23503" || changesOwner, "\(key.name) of \(table): \(state ?? "inserted")")
        checked += 1
      }
    }
    #expect(checked > 20)
  }

  private static var writing: TransactionOptions {
    .inside(TwoCompanies.a, user: TwoCompanies.ownerOfA, mode: .import)
  }

  private static func tables() async throws -> [String] {
    try await TwoCompanies.shared().superuser.rows(
      SQL(trusted: NamedQuery.enumeration("record_tables")),
      String.self
    )
  }

  private static func columns(_ table: String) async throws -> [String] {
    let parts = table.split(separator: ".").map(String.init)
    return try await TwoCompanies.shared().superuser.rows(
      Column.query(schema: parts[0], relation: parts[1]),
      as: Column.self
    ).filter { !$0.isGenerated }.map(\.name)
  }

  private static func keys(_ table: String) async throws -> [Key] {
    try await TwoCompanies.shared().superuser.rows(
      """
      select k.conname::text, k.confrelid::regclass::text,
        array(select a.attname::text from unnest(k.conkey) with ordinality u (n, i)
              join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.n order by u.i),
        array(select a.attname::text from unnest(k.confkey) with ordinality u (n, i)
              join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.n order by u.i)
      from pg_constraint k
      where k.contype = 'f' and k.conrelid = \(table)::text::regclass
      order by k.conname
      """,
      String.self,
      String.self,
      [String].self,
      [String].self
    ).map { Key(name: $0.0, columns: $0.2, target: $0.1, targetColumns: $0.3) }
  }

  private static func everyTable(
    _ role: String,
    _ body: @Sendable (String, [String], Transaction) throws -> Void
  ) async throws {
    let tables = try await tables()
    #expect(tables.count >= 7)
    let companies = try await TwoCompanies.shared()
    for table in tables {
      let columns = try await columns(table)
      try await companies.pool(role).transaction(writing) { tx in
        try body(table, columns, tx)
        try tx.rollback()
      }
    }
  }

  /// Inserts a copy of company A's row under a new id, as a tombstone, so that no unique key conflicts.
  ///
  /// The keys of messages and of share links include tombstones, so their `seq` and `token_hash` are changed
  /// as well; tables without such columns ignore that.
  private static func copy(_ table: String, _ columns: [String], changing changes: [String: UUID]) -> SQL {
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    let members = changes.map { "'\($0.key)', '\($0.value)'" }
    let fresh = [
      "'id', gen_random_uuid()", "'deleted_at', now()", "'seq', 2", "'token_hash', sha256('copy')",
    ]
    let object = (fresh + members).joined(separator: ", ")
    return SQL(
      trusted: """
        insert into \(table) (\(names))
        select \(names) from jsonb_populate_record(null::\(table),
          (select to_jsonb(t) || jsonb_build_object(\(object)) from \(table) t limit 1))
        """
    )
  }
}
