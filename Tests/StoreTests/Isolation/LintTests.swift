import Postgres
import Store
import TestDatabase
import Testing

/// The rules of the catalogue in `sql/lint/lint.sql`, on the installed schema and on planted faults.
@Suite(.serialized) struct LintTests {
  @Test func `every lint has a planted fault and every fault a lint`() throws {
    let planted = try SourceTree.files(below: "sql/lint/planted").map { $0.replacing(".sql", with: "") }
    #expect(NamedQuery.lints.map(\.name).sorted() == planted)
    #expect(planted.count > 30)
  }

  @Test(arguments: NamedQuery.lints)
  func `the installed schema is sound`(_ lint: NamedQuery) async throws {
    let superuser = try await Self.superuser()
    let broken = try await superuser.rows(SQL(trusted: lint.text), String.self)
    #expect(broken.isEmpty)
  }

  @Test(arguments: NamedQuery.lints)
  func `a planted fault is found`(_ lint: NamedQuery) async throws {
    let superuser = try await Self.superuser()
    let fault = try SourceTree.text("sql/lint/planted/\(lint.name).sql")
    let found = try await superuser.transaction { tx in
      // Roles belong to the whole cluster, and other suites create theirs at the same time.
      try tx.execute("lock table pg_catalog.pg_authid in share row exclusive mode")
      for statement in StatementSplitter.split(fault) { try tx.execute(SQL(trusted: statement.text)) }
      let found = try tx.rows(SQL(trusted: lint.text), String.self)
      try tx.rollback()
      return found
    }
    #expect(!found.isEmpty)
  }

  private static func superuser() async throws -> Database { try await Making.shared.value() }

  private actor Making {
    static let shared = Making()
    private var making: Task<Database, any Error>?

    func value() async throws -> Database {
      if let making { return try await making.value }
      let task = Task { try await TestDatabase.make().connect(as: "postgres", poolSize: 1) }
      making = task
      return try await task.value
    }
  }
}
