import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import Testing

/// Jobs that are enqueued for each company at certain times.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ScheduleTests {
  @Test func `a company gets the schedules of its apps, and nothing fires for being new`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      await keeper.reconcile()
      await keeper.fireAll()
      let schedules = try await all(fixture)
      #expect(schedules.map(\.name).contains("history.seal"))
      for schedule in schedules {
        let next = try #require(schedule.nextAt)
        let now = try await fixture.superuser.value("select now()", as: Instant.self)
        #expect(next > now && next <= now + .seconds(31 * 86_400), "\(schedule.name)")
        #expect(schedule.timeZone == "Europe/Stockholm" || schedule.app != "core")
        #expect(schedule.lastAt == nil)
      }
      #expect(try await jobs(fixture) == [])
      // A second reconciliation changes nothing.
      await keeper.reconcile()
      #expect(await keeper.fireAll() == 0)
    }
  }

  @Test func `each due time is one job, however many workers poll`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keepers = [try await time.keeper(), try await time.keeper(), try await time.keeper()]
      try await begin(fixture, keepers[0])
      for day in 1...3 {
        // A new schedule each round. Only the latest missed time is made up for, and one time is one job.
        try await fixture.superuser.execute(
          "update core.schedule set cron = \("\(day) 3 * * *"), next_at = '-infinity' where name = 'history.seal'"
        )
        await keepers[0].fireAll()
        let due = try await moveBack(fixture, "history.seal")
        await withDiscardingTaskGroup { group in
          for keeper in keepers { group.addTask { await keeper.fireAll() } }
        }
        let jobs = try await jobs(fixture)
        #expect(jobs.count == day)
        #expect(jobs.last == "schedule:history.seal:\(due)")
      }
    }
  }

  @Test func `a seal of the night is a job that succeeds, and the day after there is another`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await begin(fixture, keeper)
      _ = try await moveBack(fixture, "history.seal")
      await keeper.fireAll()
      var handlers = HandlerTable()
      handlers.add(SealHandler())
      try await fixture.working(fixture.worker(handlers)) {
        try await until {
          try await fixture.superuser.value("select count(*)::int from core.history_seal", as: Int.self) == 1
        }
      }
      #expect(try await all(fixture).first { $0.name == "history.seal" }?.lastJob != nil)
    }
  }

  @Test func `a company's own schedule fires, stays through reconciliations, and is removed`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await begin(fixture, keeper)
      let schedules = Schedules(fixture.services)
      let acting = fixture.operatorContext
      try await schedules.add(acting, name: "report.weekly", kind: "report.print", cron: "0 6 * * *")
      await keeper.reconcile()
      await keeper.fireAll()
      let own = try #require(try await all(fixture).first { $0.name == "report.weekly" })
      #expect(own.app == ScheduleStore.own && own.nextAt != nil && !own.isHeld)
      _ = try await moveBack(fixture, "report.weekly")
      #expect(await keeper.fireAll() == 1)
      await keeper.reconcile()
      #expect(try await all(fixture).first { $0.name == "report.weekly" }?.lastJob != nil)
      for (name, cron, zone, code) in [
        ("report.weekly", "0 6 * * 1", nil, .alreadyExists),
        ("history.seal", "0 6 * * 1", nil, .alreadyExists),
        ("Weekly report", "0 6 * * 1", nil, .invalidInput),
        ("report.other", "61 6 * * 1", nil, .invalidInput),
        ("report.other", "0 6 * * 1", "Mars/Base", .invalidTimeZone),
      ] as [(String, String, String?, ErrorCode)] {
        let error = try await refused {
          try await schedules.add(acting, name: name, kind: "report.print", cron: cron, timeZone: zone)
        }
        #expect(
          error.code == code || code == .invalidInput && error.code.category == .invalid,
          "\(name) \(error)"
        )
      }
      let core = try await refused { try await schedules.remove(acting, name: "history.seal") }
      #expect(core.code == .wrongState)
      try await schedules.remove(acting, name: "report.weekly")
      #expect(try await all(fixture).allSatisfy { $0.name != "report.weekly" })
    }
  }

  @Test func `one missed time is made up for, the latest`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await begin(fixture, keeper)
      let next = try #require(try await all(fixture).first { $0.name == "history.seal" }?.nextAt)
      try await fixture.superuser.execute(
        "update core.schedule set next_at = next_at - interval '9 days' where name = 'history.seal'"
      )
      #expect(await keeper.fireAll() == 1)
      let schedule = try #require(try await all(fixture).first { $0.name == "history.seal" })
      #expect(schedule.nextAt == next)
      let last = try #require(schedule.lastAt)
      #expect(next - last <= .seconds(25 * 3_600) && next - last >= .seconds(23 * 3_600))
      #expect(try await jobs(fixture) == ["schedule:history.seal:\(last)"])
    }
  }

  @Test func `a paused schedule misses its times and goes on with the next one`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await begin(fixture, keeper)
      let administration = Schedules(fixture.services)
      try await administration.pause(fixture.operatorContext, name: "history.seal")
      _ = try await moveBack(fixture, "history.seal")
      #expect(await keeper.fireAll() == 0)
      let again = await #expect(throws: DomainError.self) {
        try await administration.pause(fixture.operatorContext, name: "history.seal")
      }
      #expect(again?.code == .wrongState)
      try await administration.resume(fixture.operatorContext, name: "history.seal")
      await keeper.fireAll()
      #expect(try await jobs(fixture) == [])
      #expect(
        try await administration.list(fixture.operatorContext).first { $0.name == "history.seal" }?.pausedAt
          == nil
      )
      let unknown = await #expect(throws: DomainError.self) {
        try await administration.pause(fixture.operatorContext, name: "history.seel")
      }
      #expect(unknown?.code == .notFound && unknown?.hint == "did you mean history.seal?")
    }
  }

  @Test func `run now enqueues the job once and leaves the next time as it is`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await begin(fixture, keeper)
      let administration = Schedules(fixture.services)
      let before = try await all(fixture).map(\.nextAt)
      let job = try await administration.run(fixture.operatorContext, name: "history.seal")
      #expect(try await fixture.job(job)?.kind == "history.seal")
      #expect(try await all(fixture).map(\.nextAt) == before)
      let vera = try await ActingContexts(fixture.services).take(
        company: "acme",
        operatorName: "tester",
        as: "vera"
      )
      let refused = await #expect(throws: DomainError.self) {
        try await administration.run(vera, name: "history.seal")
      }
      #expect(refused?.code == .forbidden)
    }
  }

  @Test func `the schedules of a suspended company rest, and fire once when it is active again`() async throws
  {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await begin(fixture, keeper)
      let companies = Companies(fixture.services)
      try await companies.setStatus(fixture.operatorContext, to: .suspended)
      try await fixture.superuser.execute(
        "update core.schedule set next_at = next_at - interval '5 days' where name = 'history.seal'"
      )
      #expect(await keeper.fireAll() == 0)
      try await companies.setStatus(fixture.operatorContext, to: .active)
      #expect(await keeper.fireAll() == 1)
      #expect(try await jobs(fixture).count == 1)
    }
  }

  @Test func `a changed zone or cron is computed again, and a schedule that no app has is removed`()
    async throws
  {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await begin(fixture, keeper)
      func next(_ name: String) async throws -> String {
        try await fixture.superuser.value(
          """
          select to_char(s.next_at at time zone coalesce(s.timezone, c.timezone), 'HH24:MI')
          from core.schedule s join core.company c on c.id = s.company_id
          where s.name = \(name)
          """,
          as: String.self
        )
      }
      try await fixture.superuser.execute(
        "update core.company set timezone = 'Asia/Kathmandu' where slug = 'acme'"
      )
      await keeper.reconcile()
      await keeper.fireAll()
      #expect(try await next("history.seal") == "03:10")
      #expect(try await all(fixture).first { $0.name == "history.seal" }?.timeZone == "Asia/Kathmandu")
      try await fixture.superuser.execute(
        "update core.app_schedule set cron = '45 23 * * *' where name = 'history.seal'"
      )
      try await fixture.superuser.execute(
        "insert into core.app_schedule (name, app, kind, cron, timezone) values ('x.y', 'core', 'x.y', '5 6 * * *', 'UTC')"
      )
      await keeper.reconcile()
      await keeper.fireAll()
      #expect(try await next("history.seal") == "23:45")
      #expect(try await next("x.y") == "06:05")
      try await fixture.superuser.execute("delete from core.app_schedule where name = 'x.y'")
      await keeper.reconcile()
      #expect(try await all(fixture).map(\.name).contains("x.y") == false)
      #expect(try await jobs(fixture) == [])
    }
  }

  @Test(arguments: ["Europe/Stockholm", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"])
  func `times computed for a zone agree with PostgreSQL, hour by hour for two years`(zone: String)
    async throws
  {
    try await JobFixture.open { fixture in
      let from = Instant(rfc3339: "2026-01-01T00:00:00Z")
      let offsets = try await fixture.superuser.transaction { tx in
        try ZoneOffsets.read(zone, from: #require(from), days: 760, tx)
      }
      #expect(offsets.periods.count == (["Asia/Kathmandu", "UTC"].contains(zone) ? 1 : 5))
      let hours = try await fixture.superuser.rows(
        """
        select m, to_char(m at time zone \(zone), 'YYYY-MM-DD HH24:MI')
        from generate_series('2026-01-01 00:00Z'::timestamptz, '2028-01-01 00:00Z', '1 hour') m
        """,
        Instant.self,
        String.self
      )
      for (instant, shown) in hours {
        let reading = offsets.reading(at: instant)
        let time = try #require(LocalTime(hour: reading.minute / 60, minute: reading.minute % 60))
        guard "\(reading.date) \(time)" != shown else { continue }
        Issue.record("\(instant): \(reading.date) \(time), not \(shown)")
      }
    }
  }

  /// Creates the company's schedules and computes their next times.
  private func begin(_ fixture: JobFixture, _ keeper: Timekeeper) async throws {
    await keeper.reconcile()
    await keeper.fireAll()
  }

  /// Moves a schedule's due time back by a day, so that it is due now, and returns that time.
  private func moveBack(_ fixture: JobFixture, _ name: String) async throws -> Instant {
    try await fixture.superuser.value(
      """
      update core.schedule s
      set next_at = ((s.next_at at time zone c.timezone) - interval '1 day') at time zone c.timezone
      from core.company c
      where c.id = s.company_id and s.name = \(name)
      returning s.next_at
      """,
      as: Instant.self
    )
  }

  private func all(_ fixture: JobFixture) async throws -> [ScheduleRow] {
    try await fixture.superuser.transaction { tx in try ScheduleStore.all(company: fixture.company, tx) }
  }

  private func jobs(_ fixture: JobFixture) async throws -> [String] {
    try await fixture.superuser.rows(
      "select j.unique_key from core.job j where j.unique_key like 'schedule:%' order by j.created_at, j.id",
      String.self
    )
  }
}
