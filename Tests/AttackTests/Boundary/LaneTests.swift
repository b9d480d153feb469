import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Rows of one company in the lane of another, whose workers would run them.
@Suite struct LaneTests {
  private static let tables = ["job_queued", "job_deferred", "job_end"]

  /// Inserts a job of a company with its login; returns the SQL state of the refusal, nil if it succeeds.
  private func insert(
    into table: String,
    of shop: Workshop,
    lane: UUID,
    extra: (column: SQL, value: SQL)? = nil
  ) async throws -> SQLState? {
    let (columns, values): (SQL, SQL) =
      switch table {
      case "job_deferred": (", round, run_at", ", 1, now()")
      case "job_end": (", round, state, finished_at, attempt", ", 1, 'dead', now(), 5")
      default: ("", "")
      }
    let (column, value) = extra.map { (", \($0.column)" as SQL, ", \($0.value)" as SQL) } ?? ("", "")
    do {
      try await shop.engine.services.database.transaction(.inside(shop.company.id)) { tx in
        try tx.execute(
          """
          insert into \(identifier: "core", table)
            (company_id, lane, id, queue, kind, priority, max_attempts, payload\(columns)\(column))
          values (\(shop.company.id), \(lane), gen_random_uuid(), 'default', 'attack.none', 2, 5, '{}'\(values)\(value))
          """
        )
        try tx.rollback()
      }
      return nil
    } catch let error as PostgresError {
      return error.sqlState
    }
  }

  private func lane(of shop: Workshop) -> UUID {
    Lane(company: shop.company.id, queue: "default", kind: "attack.none", priority: 2).id
  }

  @Test(arguments: tables)
  func `a row in the lane of another company is refused`(table: String) async throws {
    let (shop, other) = (try await Workshop.open(), try await Workshop.open())
    #expect(try await insert(into: table, of: shop, lane: lane(of: shop)) == nil)
    #expect(try await insert(into: table, of: shop, lane: lane(of: other)) == .checkViolation)
    #expect(try await insert(into: table, of: shop, lane: UUID()) == .checkViolation)
  }

  @Test func `a login cannot choose the place of a row within its lane`() async throws {
    let shop = try await Workshop.open()
    for extra: (column: SQL, value: SQL) in [("xid", "'1'"), ("week", "'2020-01-06'")] {
      let answer = try await insert(into: "job_queued", of: shop, lane: lane(of: shop), extra: extra)
      #expect(answer == .insufficientPrivilege)
    }
  }

  @Test func `the lane of the database is the lane of the engine`() async throws {
    let shop = try await Workshop.open()
    let computed = try await shop.engine.superuser.value(
      "select core.job_lane(\(shop.company.id), 'default', 'attack.none', 2)",
      as: UUID.self
    )
    #expect(computed == lane(of: shop))
  }
}
