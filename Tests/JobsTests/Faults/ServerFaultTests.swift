import Cluster
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// Faults of PostgreSQL and of the network while the same worker goes on.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ServerFaultTests {
  @Test func `when PostgreSQL is restarted, and when it is killed, the worker works on`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      try await JobFixture.open(in: TestDatabase.make(in: cluster)) { fixture in
        let jobs = Jobs(fixture)
        try await fixture.working(fixture.worker(jobs.handlers, jobs.pace)) {
          for round in 0..<4 {
            let ids = try await jobs.enqueue(40)
            try await until { jobs.begun >= round * 40 + 8 }
            if round.isMultiple(of: 2) {
              try await cluster.stop()
            } else {
              #expect(try cluster.crash() > 1)
            }
            try await cluster.start()
            try await jobs.finish(ids)
          }
        }
        #expect(try await fixture.traces() == 160)
      }
    }
  }

  @Test func `when the listening connection is terminated, and when all are, the worker works on`()
    async throws
  {
    try await JobFixture.open { fixture in
      let jobs = Jobs(fixture)
      let worker = fixture.worker(jobs.handlers) { configuration in
        jobs.pace(&configuration)
        // It polls only after a notification, or after it may have missed notifications.
        configuration.poll = .seconds(3_600)
      }
      try await fixture.working(worker) {
        for condition in ["query ilike '%listen%'", "query not ilike '%listen%'", "true"] {
          try await until { try await Self.isListening(fixture) }
          let terminated = try await fixture.superuser.value(
            """
            select count(pg_terminate_backend(pid))::int from pg_stat_activity
            where usename = 'fettle_worker' and datname = current_database() and \(SQL(trusted: condition))
            """,
            as: Int.self
          )
          #expect(terminated > 0)
          try await jobs.finish(try await jobs.enqueue(5))
        }
      }
      #expect(try await fixture.traces() == 15)
    }
  }

  @Test func `when connections become unresponsive, the worker continues over new ones`() async throws {
    let database = try await TestDatabase.make()
    let host = try #require(database.parameters["host"])
    let port = try #require(database.parameters["port"])
    let proxy = try Proxy(to: "\(host)/.s.PGSQL.\(port)")
    defer { proxy.stop() }
    var parameters = database.parameters
    parameters.merge(["host": proxy.folder, "port": "5432", "user": "fettle_worker", "connect_timeout": "2"])
    {
      $1
    }
    let workers = Database(
      Database.Configuration(parameters: parameters, poolSize: 8, probeAfter: .milliseconds(500))
    )
    try await JobFixture.open(in: database, workers: workers) { fixture in
      let jobs = Jobs(fixture)
      let worker = fixture.worker(jobs.handlers) { configuration in
        jobs.pace(&configuration)
        configuration.lease = .seconds(10)
      }
      try await fixture.working(worker) {
        try await jobs.finish(try await jobs.enqueue(5))
        // While jobs run, are claimed and are acknowledged.
        let during = try await jobs.enqueue(40)
        try await until { jobs.begun >= 10 }
        proxy.freezeOpenConnections()
        try await jobs.finish(during)
        // No connection succeeds for a while.
        let later = try await jobs.enqueue(40)
        try await until { jobs.begun >= 50 }
        proxy.goSilent()
        try await Task.sleep(for: .seconds(1))
        proxy.freezeOpenConnections()
        try await jobs.finish(later)
      }
      #expect(try await fixture.traces() == 85)
    }
  }

  private static func isListening(_ fixture: JobFixture) async throws -> Bool {
    try await fixture.superuser.value(
      """
      select exists (
        select from pg_stat_activity a
        where a.usename = 'fettle_worker' and a.datname = current_database() and a.query ilike '%listen%')
      """,
      as: Bool.self
    )
  }

  /// Jobs that take a moment and leave one trace each.
  private struct Jobs: Sendable {
    let fixture: JobFixture
    private let count = Counter()

    init(_ fixture: JobFixture) { self.fixture = fixture }

    var begun: Int { count.value.withLock { $0 } }

    var handlers: HandlerTable {
      HandlerTable(
        TestHandler { [count, fixture] _ in
          count.value.withLock { $0 += 1 }
          try await Task.sleep(for: .milliseconds(5))
          return JobEffects(fixture.leaveTrace)
        }
      )
    }

    /// Makes the lease expire within a test, but not because the machine is busy.
    @Sendable func pace(_ configuration: inout WorkerConfiguration) {
      configuration.lease = .seconds(20)
      configuration.heartbeat = .milliseconds(200)
    }

    func enqueue(_ count: Int) async throws -> [UUID] {
      var ids: [UUID] = []
      for _ in 0..<count { ids.append(try await fixture.enqueue(maxAttempts: 1_000)) }
      await JobNotifier(fixture.services.database).notify()
      return ids
    }

    func finish(_ ids: [UUID]) async throws {
      try await until {
        try await fixture.superuser.value(
          "select count(*)::int from core.job j where j.company_id = \(fixture.company) and j.id = any (\(ids)) and j.state = 'succeeded'",
          as: Int.self
        ) == ids.count
      }
    }

    private final class Counter: Sendable {
      let value = Mutex(0)
    }
  }
}
