import Engine
import EngineFixtures
import FettleTesting
import FoundationEssentials
import Postgres
import Secrets
import Store
import TestDatabase
import Testing

/// A claim reads about as many rows as it takes, whatever PostgreSQL knows of the tables of the queue.
@Suite(.timeLimit(.minutes(60))) struct ClaimPlanTests {
  private static let jobs = 4_000

  /// What `pg_class` says of tables that are full: nothing, that they were empty, or that an `ANALYZE` saw pages of
  /// transactions that were open.
  private static let statistics: [(name: String, rows: Double, pages: Int32)] = [
    ("none", -1, 0), ("empty", 0, 0), ("pages without rows", 0, 300),
  ]

  @Test func `a claim reads few rows under all statistics`() async throws {
    let database = try await TestDatabase.make()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await JobFixture.open(in: database) { fixture in
      let jobs = (0..<Self.jobs).map { _ in
        NewJob(id: fixture.services.ids.next(), kind: "test.job", queue: "default", payload: JSON(text: "{}"))
      }
      try await fixture.test.enqueue(jobs)
      for (name, rows, pages) in Self.statistics {
        try await superuser.transaction { tx in
          _ = try tx.execute("delete from pg_statistic where starelid in (\(Self.tables))")
          _ = try tx.execute(
            "update pg_class set reltuples = \(rows), relpages = \(pages) where oid in (\(Self.tables))"
          )
        }
        let before = try await Self.read(superuser)
        let connections = try await Self.connections(superuser)
        let keys = Keys.random()
        let other = JobFixture(database, operatorContext: fixture.operatorContext) { keys }
        #expect(try await other.claim(by: UUID()).count == 100)
        await other.close()
        // Connections report what they read when they end.
        try await until { try await Self.connections(superuser) <= connections }
        let read = try await Self.read(superuser) - before
        print("rows read by a claim, \(name): \(read)")
        #expect(read < 1_500, "\(name)")
      }
    }
    await superuser.close()
  }

  private static let tables: SQL = """
    select c.oid from pg_class c
    where c.relnamespace = 'core'::regnamespace and c.relname like 'job%' and c.relkind = 'r'
    """

  private static func read(_ superuser: Database) async throws -> Int64 {
    try await superuser.value(
      """
      select coalesce(sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0)), 0)::bigint
      from pg_stat_user_tables s where s.relid in (\(tables))
      """,
      as: Int64.self
    )
  }

  private static func connections(_ superuser: Database) async throws -> Int64 {
    try await superuser.value(
      "select count(*) from pg_stat_activity a where a.datname = current_database()",
      as: Int64.self
    )
  }
}
