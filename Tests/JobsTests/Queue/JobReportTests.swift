import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import Testing

/// The reports on jobs, as the reporting login reads them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct JobReportTests {
  @Test func `jobs are counted by state, and dead ones name their last error`() async throws {
    try await JobFixture.open { fixture in
      var handlers = HandlerTable()
      handlers.add(FailingHandler())
      let dead = try await fixture.enqueue("report.fail")
      try await fixture.working(fixture.worker(handlers)) { try await fixture.reach(.dead, dead) }
      _ = try await fixture.enqueue("report.wait")
      _ = try await fixture.enqueue("report.wait")
      let later = try await fixture.superuser.value("select now() + interval '1 hour'", as: Instant.self)
      _ = try await fixture.enqueue("report.later", runAt: later)
      try await fixture.workers.execute("select core.count_jobs(interval '0')")
      #expect(
        try await rows(
          fixture,
          "v1_job",
          "kind, waiting, deferred, retrying, running, dead, cancelled",
          "v.kind like 'report.%'"
        ) == ["report.fail|0|0|0|0|1|0", "report.later|0|1|0|0|0|0", "report.wait|2|0|0|0|0|0"]
      )
      #expect(
        try await rows(fixture, "v1_dead_job", "company, job, kind, attempts, error", "true") == [
          "acme|\(dead.text)|report.fail|1|no paper left"
        ]
      )
    }
  }

  @Test func `a worker is in the report while its lease lasts`() async throws {
    try await JobFixture.open { fixture in
      try await fixture.superuser.execute(
        """
        insert into core.worker (id, host, pid, queues, lease_until)
        values (gen_random_uuid(), 'one', 1, '{default}', now() + interval '1 minute'),
               (gen_random_uuid(), 'two', 2, '{push}', now() - interval '1 second')
        """
      )
      #expect(
        try await rows(fixture, "v1_worker", "host, pid, queues, is_alive", "v.host in ('one', 'two')") == [
          "one|1|{default}|true", "two|2|{push}|false",
        ]
      )
    }
  }

  private func rows(_ fixture: JobFixture, _ view: String, _ columns: String, _ filter: SQL) async throws
    -> [String]
  {
    let reader = fixture.database.connect(as: "fettle_report", poolSize: 1)
    let rows = try await reader.rows(
      """
      select array_to_string(array[\(SQL(trusted: columns.split(separator: ",").map { "(\($0))::text" }
        .joined(separator: ", ")))], '|', '')
      from report.\(identifier: view) v
      where \(filter)
      order by 1
      """,
      String.self
    )
    await reader.close()
    return rows
  }
}

/// Always fails permanently.
private struct FailingHandler: JobHandler {
  let kind = "report.fail"

  func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    throw JobFailure.permanent("no paper left")
  }
}
