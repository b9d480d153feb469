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

/// The nights on which the clocks change, with four timekeepers at once.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ClockChangeTests {
  /// A night in Stockholm, and the due times of schedules in it, in UTC.
  struct Night: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let from: String
    /// The due times of 02:30 local time, in a night in which that hour is skipped or repeated.
    let night: [String]
  }

  static let nights = [
    // 02:30 does not exist: the schedule fires after the change.
    Night(
      testDescription: "spring forward",
      from: "2026-03-28T22:05:00Z",
      night: ["2026-03-29T01:00:00Z"]
    ),
    // 02:30 exists twice: the first one counts.
    Night(
      testDescription: "fall back",
      from: "2026-10-24T22:05:00Z",
      night: ["2026-10-25T00:30:00Z"]
    ),
  ]

  @Test(arguments: nights)
  func `with four timekeepers each due time is one job, by local time`(night: Night) async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let from = try #require(Instant(rfc3339: night.from))
      let now = try await fixture.superuser.value("select now()", as: Instant.self)
      let offset = Mutex(Duration.microseconds(from.microseconds - now.microseconds))
      var keepers: [Timekeeper] = []
      for _ in 0..<4 {
        keepers.append(try await time.keeper { $0.offset = { offset.withLock { $0 } } })
      }
      try await fixture.superuser.execute(
        """
        insert into core.app_schedule (name, app, kind, cron, timezone)
        values ('x.hour', 'core', 'x.hour', '0 * * * *', null), ('x.night', 'core', 'x.night', '30 2 * * *', null)
        """
      )
      await keepers[0].reconcile()
      await keepers[0].fireAll()
      // Ten minutes at a time, for six hours.
      for _ in 0..<36 {
        offset.withLock { $0 += .seconds(600) }
        await withDiscardingTaskGroup { group in
          for keeper in keepers { group.addTask { await keeper.fireAll() } }
        }
      }
      let first = (from.microseconds / 3_600_000_000 + 1) * 3_600_000_000
      let hours = (0..<6).map { Instant(microseconds: first + $0 * 3_600_000_000).description }
      #expect(try await due("x.hour", fixture) == hours)
      #expect(try await due("x.night", fixture) == night.night)
    }
  }

  /// Returns the due times for which a schedule's jobs were enqueued.
  private func due(_ name: String, _ fixture: JobFixture) async throws -> [String] {
    try await fixture.superuser.rows(
      "select p.payload ->> 'due_at' from core.job_payload p join core.job j on j.id = p.job_id where j.kind = \(name) order by 1",
      String.self
    )
  }
}
