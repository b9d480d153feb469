import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// A worker and timekeepers whose clock is wrong by an hour: the database's clock decides.
@Suite(
  .serialized,
  .timeLimit(.minutes(60)),
  .enabled(if: WrongClock.isInstalled, "apt-get install faketime")
) struct WrongClockTests {
  private static let hour = 3_600

  @Test(arguments: [hour, -hour])
  func `a worker whose clock is an hour off is neither early nor late`(ahead: Int) async throws {
    try await WrongClock.withCluster(secondsAhead: ahead) { database in
      try await JobFixture.open(in: database) { fixture in
        let theirs = try await fixture.superuser.value("select clock_timestamp()", as: Instant.self)
        let ours = Int64(Date().timeIntervalSince1970 * 1_000_000)
        #expect(abs(theirs.microseconds - ours) > 3_000_000_000)
        let starts = Mutex<[UUID: Int]>([:])
        let begin = { @Sendable (context: JobContext) in starts.withLock { $0[context.id, default: 0] += 1 } }
        let handlers = HandlerTable(
          TestHandler { context in
            begin(context)
            return JobEffects(fixture.leaveTrace)
          },
          TestHandler("test.failing") { context in
            begin(context)
            if context.attempt == 1 { throw Refused() }
            return JobEffects(fixture.leaveTrace)
          },
          // Runs for longer than the lease, which is renewed.
          TestHandler("test.long") { context in
            begin(context)
            try await Task.sleep(for: .seconds(12))
            return JobEffects(fixture.leaveTrace)
          }
        )
        // A worker with a job is gone, and another job is not due yet.
        let left = try await fixture.enqueue()
        _ = try await fixture.claim(by: UUID(), lease: .zero)
        let due = theirs + .seconds(4)
        let later = try await fixture.enqueue(runAt: due)
        let failing = try await fixture.enqueue("test.failing")
        let long = try await fixture.enqueue("test.long")
        let worker = fixture.worker(handlers) { $0.lease = .seconds(10) }
        try await fixture.working(worker) {
          for id in [left, later, failing, long] { try await fixture.reach(.succeeded, id) }
        }
        #expect(starts.withLock { $0 } == [left: 1, later: 1, failing: 2, long: 1])
        #expect(try await fixture.traces() == 4)
        let began = try await fixture.superuser.value(
          "select min(started_at) from core.job_attempt where job_id = \(later)",
          as: Instant.self
        )
        #expect(began >= due)
      }
    }
  }

  @Test(arguments: [hour, -hour])
  func `four timekeepers whose clocks are an hour off fire a schedule once`(ahead: Int) async throws {
    try await WrongClock.withCluster(secondsAhead: ahead) { database in
      try await JobFixture.open(in: database) { fixture in
        let time = try await Timekeeping(fixture)
        var keepers: [Timekeeper] = []
        for _ in 0..<4 { keepers.append(try await time.keeper()) }
        try await fixture.superuser.execute(
          "insert into core.app_schedule (name, app, kind, cron, timezone) values ('x.year', 'core', 'x.year', '0 0 1 1 *', null)"
        )
        await keepers[0].reconcile()
        await keepers[0].fireAll()
        let next = try await fixture.superuser.value(
          "select next_at from core.schedule where name = 'x.year'",
          as: Instant.self
        )
        let now = try await fixture.superuser.value("select clock_timestamp()", as: Instant.self)
        #expect(next > now)
        // A minute before it is due by the database's clock, no timekeeper fires it; when it is due, all of
        // them together fire it once.
        for (away, count) in [("1 minute", 0), ("-1 second", 1), ("0", 1)] {
          if away != "0" {
            try await fixture.superuser.execute(
              "update core.schedule set next_at = clock_timestamp() + \(away)::text::interval where name = 'x.year'"
            )
          }
          await withDiscardingTaskGroup { group in
            for keeper in keepers { group.addTask { await keeper.fireAll() } }
          }
          let fired = try await fixture.superuser.value(
            "select count(*)::int from core.job where kind = 'x.year'",
            as: Int.self
          )
          #expect(fired == count, "\(away)")
        }
      }
    }
  }

  private struct Refused: Error {}
}
