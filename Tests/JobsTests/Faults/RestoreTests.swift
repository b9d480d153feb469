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
@Suite(.serialized, .timeLimit(.minutes(30))) struct RestoreTests {
  @Test func `after a restore every open job runs once, and a finished one does not`() async throws {
    try await JobRoom.open { room in
      let finished = try await room.enqueue(payload: JSON(text: #"{"was":"finished"}"#))
      let written = try await room.enqueue(payload: JSON(text: #"{"was":"written"}"#))
      let worker = UUID()
      let first = try await room.claim(by: worker)
      #expect(room.queue.finish(try #require(first.first { $0.id == finished }), worker: worker) == false)
      let effect = try #require(first.first { $0.id == written })
      #expect(try await room.queue.complete(effect, worker: worker) { _ in })
      #expect(try await room.queue.acknowledge(worker: worker) == 0)
      let dead = try await room.enqueue()
      let lost = try #require(try await room.claim(by: worker).first)
      #expect(try await room.queue.fail(lost, worker: worker, error: "no", retryAfter: nil))
      let retrying = try await room.enqueue()
      let again = try #require(try await room.claim(by: worker).first)
      #expect(try await room.queue.fail(again, worker: worker, error: "no", retryAfter: .zero))
      let running = try await room.enqueue()
      let held = try await room.claim(by: worker, lease: .seconds(3_600))
      #expect(held.map(\.id) == [running] || Set(held.map(\.id)) == [running, retrying])
      let queued = try await room.enqueue()
      let stopped = try await room.enqueue()
      _ = try await room.services.database.transaction(.inside(room.company)) { tx in
        try tx.value("select core.cancel_job(\(stopped))", as: Bool.self)
      }

      try await EphemeralCluster.withOwn { cluster in
        let elsewhere = try await Self.restore(room, to: cluster)
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
          try await superuser.value(epoch, as: UUID.self) != room.superuser.value(epoch, as: UUID.self)
        )
        #expect(try await Self.finding(elsewhere) == nil)
        await elsewhere.close()
      }
      // Nothing has changed in the original database.
      #expect(try await room.queue.adopt() == 0)
      #expect(try await room.job(queued)?.state == .queued)
    }
  }

  @Test func `a restored queue without statistics is counted, adopted and worked on`() async throws {
    try await JobRoom.open { room in
      try await Self.finish(3_000, in: room)
      let open = try await room.enqueue()
      try await EphemeralCluster.withOwn { cluster in
        let elsewhere = try await Self.restore(room, to: cluster)
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
  private static func finish(_ count: Int, in room: JobRoom) async throws {
    let worker = UUID()
    for batch in 1...count / 100 {
      try await room.superuser.transaction { tx in
        try tx.execute(
          """
          insert into core.worker (id, host, pid, queues, lease_until)
          values (\(worker), 'test', 1, '{default}', now() + interval '1 day') on conflict do nothing
          """
        )
        try tx.execute(
          """
          insert into core.job_queued (company_id, lane, id, queue, kind, priority, max_attempts, payload)
          select \(room.company), core.job_lane(\(room.company), 'default', 'test.job', 2), gen_random_uuid(),
            'default', 'test.job', 2, 5, '{}'
          from generate_series(1, 100)
          """
        )
      }
      try await room.superuser.execute(
        """
        with taken as (
          select t.week, t.no, core.job_lane(\(room.company), 'default', 'test.job', 2) as lane
          from core.take_batches(
            \(worker), \(Int64(batch)), array[\(room.company)]::uuid[],
            array[core.job_lane(\(room.company), 'default', 'test.job', 2)], array[100]) t
        )
        select core.ack_claims(
          \(worker), array[t.week], array[\(room.company)]::uuid[], array[t.lane], array[t.no], array[true])
        from taken t
        """
      )
    }
  }

  /// Returns the first finding of the verification.
  private static func finding(_ room: JobRoom) async throws -> String? {
    let catalogue = try await Records.open(room.services).catalogue
    let report = try await Verification(room.services, catalogue: catalogue).run([
      room.operatorContext.company
    ])
    return report.findings.first?.what
  }

  /// Dumps the room's database and restores it in a cluster that has the roles.
  private static func restore(_ room: JobRoom, to cluster: EmbeddedCluster) async throws -> JobRoom {
    let target = try await TestDatabase.makeEmpty(in: cluster)
    let superuser = target.connect(as: "postgres", poolSize: 1)
    try await Installation.prepareRoles(superuser: superuser)
    await superuser.close()
    let file = "/tmp/fettle-restore-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: file) }  // a leftover file does no harm
    let source = room.database
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
    return JobRoom(target, operatorContext: room.operatorContext, keys: room.services.keys)
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
