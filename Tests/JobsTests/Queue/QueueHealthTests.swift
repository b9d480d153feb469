import Engine
import EngineFixtures
import Postgres
import Store
import Testing

/// What `fettle doctor` says of the queue.
@Suite(.timeLimit(.minutes(60))) struct QueueHealthTests {
  @Test func `a kind that no worker has begun is named with its remedy`() async throws {
    try await JobFixture.open { fixture in
      try await fixture.superuser.execute(
        """
        insert into core.worker (id, host, pid, heartbeat_at, lease_until, queues)
        values (gen_random_uuid(), 'here', 1, now() + interval '1 hour', now() + interval '2 hours', '{default}')
        """
      )
      func backlog() async throws -> HealthFinding? {
        try await fixture.workers.execute("select core.count_jobs('0 seconds')")
        return try await HealthCheck(fixture.services.database).run().first { $0.check == "backlog" }
      }
      _ = try await fixture.enqueue("test.lonely")
      #expect(try await backlog()?.state == .ok)
      try await fixture.superuser.execute(
        "update core.job_queued set created_at = now() - interval '10 minutes'"
      )
      let found = try await backlog()
      #expect(found?.state == .warning)
      #expect(
        found?.finding.contains("no worker has begun one in the last hour") == true,
        "\(String(describing: found))"
      )
      #expect(found?.remedy == "fettle work --handler test.lonely=PROGRAM")
      // Mails need a server, no program.
      #expect(
        WorkerRemedy.command(kind: "mail.send", queues: ["mail"])
          == "fettle work --queues mail --mail smtps://… --mail-from …"
      )
    }
  }
}
