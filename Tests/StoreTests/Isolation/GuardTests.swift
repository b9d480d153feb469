import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The refusals of the guard on record tables, for all logins.
@Suite struct GuardTests {
  private static func attempt(
    _ mode: WriteMode?,
    _ statement: String,
    by login: KeyPath<TwoCompanies, Database> = \.app
  ) async throws -> String? {
    let companies = try await TwoCompanies.shared()
    return try await companies[keyPath: login].transaction(.inside(TwoCompanies.a, mode: mode)) { tx in
      let state = try Refusal.state(tx) { inner in
        let touched = try inner.execute(SQL(trusted: statement))
        #expect(touched == 1, "nothing was touched")
      }
      try tx.rollback()
      return state
    }
  }

  private static func insert(_ status: String, _ category: String) -> String {
    """
    insert into maintenance.entry
      (company_id, id, machine_id, category_id, description, reported_on, status, status_category)
    values ('\(TwoCompanies.a)', gen_random_uuid(), '\(TwoCompanies.id("a", 10))', '\(TwoCompanies.id("a", 11))',
            'by hand', '2026-01-01', '\(status)', '\(category)')
    """
  }

  private static let entry = TwoCompanies.id("a", 14)

  @Test func `a status set by hand is refused`() async throws {
    let update =
      "update maintenance.entry set status = 'in_progress', status_category = 'active' where id = '\(Self.entry)'"
    try await #expect(Self.attempt(nil, update) == "FT001")
    try await #expect(Self.attempt(.engine, update) == nil, "an edge of the workflow, in the engine's mode")
  }

  @Test func `in the engine's mode a status moves along the workflow's edges only`() async throws {
    let jump =
      "update maintenance.entry set status = 'completed', status_category = 'done' where id = '\(Self.entry)'"
    try await #expect(Self.attempt(.engine, jump) == "FT002")
    try await #expect(Self.attempt(.import, jump) == "FT002")
    // A mode is a setting of the session, which the holder of any password can set.
    try await #expect(Self.attempt(.migrate, jump) == "FT002", "no workflow maps it")
    try await #expect(Self.attempt(.migrate, jump, by: \.worker) == "FT002")
    let invented =
      "update maintenance.entry set status = 'gone', status_category = 'done' where id = '\(Self.entry)'"
    try await #expect(Self.attempt(.engine, invented) == "FT002")
    let disagreeing = "update maintenance.entry set status_category = 'done' where id = '\(Self.entry)'"
    try await #expect(Self.attempt(.engine, disagreeing) == "FT002")
    let astray = """
      update maintenance.entry set status = 'in_progress', status_category = 'done'
      where id = '\(Self.entry)'
      """
    for mode in [WriteMode.engine, .import, .migrate] {
      try await #expect(Self.attempt(mode, astray) == "FT002", "the way ends in another category")
    }
  }

  @Test func `an insert that is completed already is refused unless it is an import`() async throws {
    try await #expect(Self.attempt(nil, Self.insert("completed", "done")) == "FT001")
    try await #expect(Self.attempt(.engine, Self.insert("completed", "done")) == "FT002")
    try await #expect(Self.attempt(.engine, Self.insert("pending", "open")) == nil)
    try await #expect(Self.attempt(.import, Self.insert("completed", "done"), by: \.worker) == nil)
    for mode in [WriteMode.import, .migrate] {
      try await #expect(Self.attempt(mode, Self.insert("completed", "done")) == "FT002", "not by the server")
    }
    try await #expect(Self.attempt(.import, Self.insert("completed", "open")) == "FT002")
  }

  @Test(arguments: [
    "id = gen_random_uuid()", "created_at = created_at - interval '1 day'", "created_by = null",
    "version = version - 1", "history_seq = history_seq - 1",
  ])
  func `the identity of a record never changes`(_ change: String) async throws {
    let update = "update maintenance.entry set \(change) where id = '\(Self.entry)'"
    try await #expect(Self.attempt(.engine, update, by: \.superuser) == "FT003")
    // The server's login lacks the right to update most of these columns.
    let refused = try await Self.attempt(.engine, update)
    #expect(refused == "FT003" || refused == "42501")
  }

  @Test func `another word for the mode opens nothing`() async throws {
    let companies = try await TwoCompanies.shared()
    for word in ["", "Engine", "engine ", "on", "true"] {
      var options = TransactionOptions.inside(TwoCompanies.a)
      options.settings.append(.text("fettle.write", word))
      let state = try await companies.app.transaction(options) { tx in
        let state = try Refusal.state(tx) {
          try $0.execute("update maintenance.entry set updated_at = now()")
        }
        try tx.rollback()
        return state
      }
      #expect(state == "FT001", "\(word)")
    }
  }

  @Test func `only the state of a notification can be changed`() async throws {
    try await #expect(Self.attempt(.engine, "update core.notification set data = '{}'") == "42501")
    let companies = try await TwoCompanies.shared()
    try await companies.app.transaction(.inside(TwoCompanies.a, mode: .engine)) { tx in
      try tx.execute("update core.notification set state = 'read', read_at = now()")
      try tx.rollback()
    }
  }

  @Test func `the guard cannot be switched off, nor the tables emptied, by the server's logins`() async throws
  {
    let companies = try await TwoCompanies.shared()
    for statement in [
      "alter table maintenance.entry disable trigger guard",
      "alter table maintenance.entry disable row level security",
      "set local session_replication_role = replica", "truncate maintenance.entry",
      "set local role fettle_owner",
      "create table core.mine (id int)", "create temporary table entry (id int)", "create schema mine",
    ] {
      for role in ["fettle_app", "fettle_worker"] {
        let state = try await companies.pool(role).transaction(.inside(TwoCompanies.a, mode: .engine)) { tx in
          let state = try Refusal.state(tx) { try $0.execute(SQL(trusted: statement)) }
          try tx.rollback()
          return state
        }
        #expect(state == "42501", "\(role): \(statement)")
      }
    }
  }
}
