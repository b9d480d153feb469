import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The rows that the server reads to find a claim, in a week without statistics.
@Suite(.timeLimit(.minutes(60))) struct ClaimKeyTests {
  @Test func `a claim is found by its key, however many its worker and its lane have`() async throws {
    try await JobFixture.open { fixture in
      for _ in 0..<301 { try await fixture.enqueue() }
      let worker = UUID()
      try await WorkerRegister.add(worker, queues: ["default"], lease: .seconds(60), fixture.workers)
      // The server is certain that there are no claims, so that all indexes look alike to the planner.
      try await fixture.superuser.execute("vacuum (analyze) core.job_claim")
      try await fixture.superuser.transaction { tx in
        let week = try tx.value("select date_trunc('week', now())::date", as: LocalDate.self)
        let lane = try tx.value(
          "select core.job_lane(\(fixture.company), 'default', 'test.job', 2)",
          as: UUID.self
        )
        func ask(_ no: Int64) throws -> [Int] {
          let claim: SQL =
            "array[\(week)], array[\(fixture.company)]::uuid[], array[\(lane)]::uuid[], array[\(no)]"
          let questions: [SQL] = [
            "select count(*)::int from core.claimed_jobs(\(worker), \(claim))",
            "select core.has_claim(\(fixture.company), \(lane), \(no), \(worker))::int",
            "select 1 - count(*)::int from core.ack_claims(\(worker), \(claim))",
          ]
          return try questions.map { question in
            let before = try Self.fetched(tx)
            #expect(try tx.value(question, as: Int.self) == (no == 0 ? 0 : 1))
            return try Self.fetched(tx) - before
          }
        }
        // The server plans the statement now, and keeps the plan.
        _ = try ask(0)
        try tx.execute(
          """
          select count(*)
          from generate_series(1, 300) n
          cross join lateral core.take_batches(\(worker), n, array[\(fixture.company)], array[\(lane)], array[1]) c
          """
        )
        let no = try tx.value(
          "select c.no from core.job_claim c order by c.no offset 150 limit 1",
          as: Int64.self
        )
        var read = try ask(no)
        let before = try Self.fetched(tx)
        let jobs = try tx.value(
          """
          select sum(c.jobs)::int
          from core.take_batches(\(worker), 301, array[\(fixture.company)], array[\(lane)], array[1]) c
          """,
          as: Int.self
        )
        #expect(jobs == 1)
        read.append(try Self.fetched(tx) - before)
        #expect(read.allSatisfy { $0 < 10 }, "\(read) rows were read")
      }
    }
  }

  /// Returns the number of rows of claims that this transaction has fetched by an index.
  private static func fetched(_ tx: Transaction) throws -> Int {
    try tx.value(
      """
      select coalesce(sum(s.idx_tup_fetch), 0)::int
      from pg_stat_xact_user_tables s
      where s.schemaname = 'core' and s.relname like 'job\\_claim\\_%'
      """,
      as: Int.self
    )
  }
}
