import Cluster
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import Subprocess
import Synchronization
import TestDatabase
import Testing

/// A dump of a database with jobs in every state, restored on another server.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RestoreTests {
  @Test func `after a restore every open job runs once, and a finished one does not`() async throws {
    try await JobFixture.open { fixture in
      let finished = try await fixture.enqueue(payload: JSON(text: #"{"was":"finished"}"#))
      let written = try await fixture.enqueue(payload: JSON(text: #"{"was":"written"}"#))
      let worker = UUID()
      let first = try await fixture.claim(by: worker)
      #expect(fixture.queue.finish(try #require(first.first { $0.id == finished }), worker: worker) == false)
      let effect = try #require(first.first { $0.id == written })
      #expect(try await fixture.queue.complete(effect, worker: worker) { _ in })
      #expect(try await fixture.queue.acknowledge(worker: worker) == 0)
      let dead = try await fixture.enqueue()
      let lost = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.fail(lost, worker: worker, error: "no", retryAfter: nil))
      let retrying = try await fixture.enqueue()
      let again = try #require(try await fixture.claim(by: worker).first)
      #expect(try await fixture.queue.fail(again, worker: worker, error: "no", retryAfter: .zero))
      let running = try await fixture.enqueue()
      let held = try await fixture.claim(by: worker, lease: .seconds(3_600))
      #expect(held.map(\.id) == [running] || Set(held.map(\.id)) == [running, retrying])
      let queued = try await fixture.enqueue()
      let stopped = try await fixture.enqueue()
      _ = try await fixture.services.database.transaction(.inside(fixture.company)) { tx in
        try tx.value("select core.cancel_job(\(stopped))", as: Bool.self)
      }

      try await EphemeralCluster.withOwn { cluster in
        let elsewhere = try await Self.restore(fixture, to: cluster)
        let superuser = elsewhere.superuser
        #expect(try await superuser.value("select core.jobs_are_home()", as: Bool.self) == false)
        // A job is enqueued before the first worker starts.
        let early = try await elsewhere.enqueue()
        let ran = Mutex<[UUID]>([])
        let handlers = HandlerTable(
          TestHandler { context in
            ran.withLock { $0.append(context.job.id) }
            return .none
          }
        )
        try await elsewhere.working(elsewhere.worker(handlers)) {
          for id in [early, queued, running, retrying] { try await elsewhere.reach(.succeeded, id) }
          // A later job in the same lane runs too.
          try await elsewhere.reach(.succeeded, try await elsewhere.enqueue())
        }
        #expect(try await superuser.value("select core.jobs_are_home()", as: Bool.self))
        let runs = ran.withLock { $0 }
        #expect(Set(runs).isSuperset(of: [early, queued, running, retrying]) && runs.count == 5)
        let ended: [UUID: JobState] = [
          finished: .succeeded, written: .succeeded, dead: .dead, stopped: .cancelled,
        ]
        for (id, state) in ended {
          #expect(try await elsewhere.job(id)?.state == state)
        }
        #expect(try await elsewhere.attempts(finished).map(\.outcome) == [.succeeded])
        #expect(try await elsewhere.attempts(written).map(\.outcome) == [.succeeded])
        #expect(try await elsewhere.queue.adopt() == 0)
        // Versions and positions of the feed are used again, for other changes.
        let epoch: SQL = "select i.epoch from core.installation i"
        #expect(
          try await superuser.value(epoch, as: UUID.self) != fixture.superuser.value(epoch, as: UUID.self)
        )
        #expect(try await Self.finding(elsewhere) == nil)
        await elsewhere.close()
      }
      // Nothing has changed in the original database.
      #expect(try await fixture.queue.adopt() == 0)
      #expect(try await fixture.job(queued)?.state == .queued)
    }
  }

  @Test func `a restored queue without statistics is counted, adopted and worked on`() async throws {
    try await JobFixture.open { fixture in
      try await Self.finish(3_000, in: fixture)
      let open = try await fixture.enqueue()
      try await EphemeralCluster.withOwn { cluster in
        let elsewhere = try await Self.restore(fixture, to: cluster)
        // Statements that depended on statistics would exceed the timeout of 60 seconds.
        _ = try await JobCounts.read(company: nil, elsewhere.services.database)
        let handlers = HandlerTable(TestHandler { _ in .none })
        try await elsewhere.working(elsewhere.worker(handlers)) {
          try await elsewhere.reach(.succeeded, open)
        }
        _ = try await JobCounts.read(company: nil, elsewhere.services.database)
        let ended = try await elsewhere.superuser.value(
          "select count(*) from core.job_end e where e.state = 'succeeded' and e.queue = 'default'",
          as: Int64.self
        )
        #expect(ended == 3_000)
        #expect(try await Self.finding(elsewhere) == nil)
        await elsewhere.close()
      }
    }
  }

  /// Enqueues, claims and completes jobs, a hundred at a time.
  private static func finish(_ count: Int, in fixture: JobFixture) async throws {
    let worker = UUID()
    for batch in 1...count / 100 {
      try await fixture.superuser.transaction { tx in
        try tx.execute(
          """
          insert into core.worker (id, host, pid, queues, lease_until)
          values (\(worker), 'test', 1, '{default}', now() + interval '1 day') on conflict do nothing
          """
        )
        try tx.execute(
          """
          insert into core.job_queued (company_id, lane, id, queue, kind, priority, max_attempts, payload)
          select \(fixture.company), core.job_lane(\(fixture.company), 'default', 'test.job', 2), gen_random_uuid(),
            'default', 'test.job', 2, 5, '{}'
          from generate_series(1, 100)
          """
        )
      }
      try await fixture.superuser.execute(
        """
        with taken as (
          select t.week, t.no, core.job_lane(\(fixture.company), 'default', 'test.job', 2) as lane
          from core.take_batches(
            \(worker), \(Int64(batch)), array[\(fixture.company)]::uuid[],
            array[core.job_lane(\(fixture.company), 'default', 'test.job', 2)], array[100]) t
        )
        select core.ack_claims(
          \(worker), array[t.week], array[\(fixture.company)]::uuid[], array[t.lane], array[t.no], array[true])
        from taken t
        """
      )
    }
  }

  /// Returns the first finding of the verification.
  private static func finding(_ fixture: JobFixture) async throws -> String? {
    let catalogue = try await Records.open(fixture.services).catalogue
    let report = try await Verification(fixture.services, catalogue: catalogue).run([
      fixture.operatorContext.company
    ])
    return report.findings.first?.what
  }

  /// Dumps the fixture's database and restores it in a cluster that has the roles.
  private static func restore(_ fixture: JobFixture, to cluster: EmbeddedCluster) async throws -> JobFixture {
    let target = try await TestDatabase.makeEmpty(in: cluster)
    let superuser = target.connect(as: "postgres", poolSize: 1)
    try await Installation.prepareRoles(superuser: superuser)
    await superuser.close()
    let file = "/tmp/fettle-restore-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: file) }  // a leftover file does no harm
    let source = fixture.database
    try await tool(
      "pg_dump",
      ["--format", "custom", "--file", file] + connection(source.parameters) + [
        source.parameters["dbname"] ?? ""
      ]
    )
    try await tool(
      "pg_restore",
      ["--exit-on-error", "--dbname", target.parameters["dbname"] ?? ""] + connection(target.parameters) + [
        file
      ]
    )
    return JobFixture(target, operatorContext: fixture.operatorContext, keys: fixture.services.keys)
  }

  private static func connection(_ parameters: [String: String]) -> [String] {
    ["--host", parameters["host"] ?? "", "--port", parameters["port"] ?? "", "--username", "postgres"]
  }

  private static func tool(_ name: String, _ arguments: [String]) async throws {
    let result = try await Subprocess.run(
      .name(name),
      arguments: Arguments(arguments),
      output: .discarded,
      error: .bytes(limit: 1 << 20)
    )
    guard case .exited(0) = result.terminationStatus else {
      throw DomainError(.unavailable, "\(name): \(String(decoding: result.standardError, as: UTF8.self))")
    }
  }
}
