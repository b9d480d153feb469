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

/// Transitions that the system takes after some time.
@Suite(.serialized, .timeLimit(.minutes(60))) struct TimerTests {
  @Test func `a reminder comes every week, four times at most`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      let before = try await state(time)
      for week in 1...6 {
        try await time.pass("7 days")
        await keeper.fireAll()
        #expect(try await time.firings("remind") == min(week, 4), "week \(week)")
        #expect(try await time.timers() == (week < 4 ? ["remind 1 \(4 - week)"] : []))
      }
      // A reminder does not change the record: no new version, nothing for devices.
      #expect(try await state(time) == before)
      let notices = try await fixture.superuser.value(
        "select count(*)::int from core.job where kind = 'notify.send'",
        as: Int.self
      )
      #expect(notices == 4)
      #expect(
        try await time.shop.records.verify(
          fixture.operatorContext,
          type: "maintenance.entry",
          id: time.shop.entry
        ) == nil
      )
    }
  }

  @Test func `work that lasts too long is reported once`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await time.shop.take("start")
      #expect(try await time.timers() == ["remind 1 4", "escalate 2"])
      try await time.pass("71 hours")
      #expect(await keeper.fireAll() == 0)
      try await time.pass("1 hour")
      await keeper.fireAll()
      await keeper.fireAll()
      #expect(try await time.firings("escalate") == 1)
      #expect(try await time.firings("remind") == 0)
    }
  }

  @Test func `a timer of an earlier stay in a status is void`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await time.shop.take("start")
      try await time.shop.take("pause")
      #expect(try await time.timers() == ["remind 1 4", "escalate 2", "remind 3 4"])
      try await fixture.superuser.execute("update core.timer set due_at = now() where entry_no < 3")
      #expect(await keeper.fireAll() == 2)
      #expect(try await time.firings("remind") == 0)
      #expect(try await time.firings("escalate") == 0)
      #expect(try await time.timers() == ["remind 3 4"])
      try await time.pass("7 days")
      await keeper.fireAll()
      #expect(try await time.firings("remind") == 1)
    }
  }

  @Test func `weeks in which nobody worked are not made up for`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await time.pass("24 days")
      await keeper.fireAll()
      #expect(try await time.firings("remind") == 1)
      #expect(try await time.timers() == ["remind 1 3"])
      // On the same day of the week as planned.
      let days = try await fixture.superuser.value(
        "select round(extract(epoch from due_at - now()) / 86400)::int from core.timer",
        as: Int.self
      )
      #expect(days == 4)
    }
  }

  @Test func `two workers fire each timer once`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      var entries = [time.shop.entry]
      for _ in 0..<19 { entries.append(try await time.shop.add()) }
      try await time.pass("7 days")
      let (first, second) = (try await time.keeper(), try await time.keeper())
      async let a = first.fireAll()
      async let b = second.fireAll()
      #expect(await a + b == 20)
      for entry in entries {
        #expect(try await time.firings("remind", of: entry) == 1)
        #expect(try await time.timers(of: entry) == ["remind 1 3"])
      }
    }
  }

  @Test func `a worker that dies while it fires has fired nothing, and the next one fires`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await time.pass("7 days")
      // Blocks the timekeeper after the transition is written and before the timer is.
      let isClosed = Mutex(false)
      let gate = Task {
        try await fixture.superuser.transaction { tx in
          try tx.execute("lock table core.job_queued in access exclusive mode")
          isClosed.withLock { $0 = true }
          var waiting: Int32?
          while waiting == nil {
            waiting = try tx.value(
              """
              select a.pid from pg_locks l
              join pg_stat_activity a on a.pid = l.pid
              where not l.granted and a.usename = 'fettle_worker' and a.datname = current_database()
                and l.relation = 'core.job_queued'::regclass
                and l.database = (select d.oid from pg_database d where d.datname = current_database())
              """,
              as: Int32?.self
            )
          }
          try tx.execute("select pg_terminate_backend(\(waiting ?? 0))")
        }
      }
      try await until { isClosed.withLock { $0 } }
      await keeper.fireAll()
      try await gate.value
      #expect(try await time.firings("remind") == 0)
      #expect(try await time.timers() == ["remind 1 4"])
      await keeper.fireAll()
      #expect(try await time.firings("remind") == 1)
      #expect(try await time.timers() == ["remind 1 3"])
    }
  }

  @Test func `nothing fires for a record that was deleted`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await time.pass("7 days")
      try await fixture.superuser.transaction { tx in
        try tx.execute("set local fettle.write = 'engine'")
        try tx.execute("update maintenance.entry set deleted_at = now() where id = \(time.shop.entry)")
      }
      #expect(await keeper.fireAll() == 1)
      #expect(try await time.firings("remind") == 0)
      #expect(try await time.timers().isEmpty)
    }
  }

  @Test func `the timers of a suspended company rest, and fire when it is active again`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      let companies = Companies(fixture.services)
      try await companies.setStatus(fixture.operatorContext, to: .suspended)
      try await time.pass("8 days")
      #expect(await keeper.fireAll() == 0)
      try await companies.setStatus(fixture.operatorContext, to: .active)
      #expect(await keeper.fireAll() == 1)
      #expect(try await time.firings("remind") == 1)
      // The company was suspended by other means: the timer is held when it is due.
      try await fixture.superuser.execute("update core.company set status = 'archived' where slug = 'acme'")
      try await time.pass("8 days")
      #expect(await keeper.fireAll() == 1)
      #expect(await keeper.fireAll() == 0)
      #expect(try await time.firings("remind") == 1)
    }
  }

  @Test(.app("trips"))
  func `a timer of a private record acts for its owner, and sees nothing for anybody else`()
    async throws
  {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      let ana = time.shop.ana
      let plan = try await time.shop.records.create(
        ana,
        type: "trips.plan",
        fields: ["title": "Alps", "starts_on": "2026-03-01"]
      ).id
      _ = try await time.shop.records.transition(
        ana,
        type: "trips.plan",
        id: plan,
        request: TransitionRequest("activate")
      )
      for owner in [UUID(), ana.user] {
        #expect(try await time.firings("complete", of: plan) == 0)
        try await fixture.superuser.execute(
          """
          insert into core.timer (company_id, record_type, record_id, owner_id, entry_no, fire, due_at)
          values (\(fixture.company), 'trips.plan', \(plan), \(nullable: owner), 2, 'complete', now())
          """
        )
        #expect(await keeper.fireAll() == 1)
        #expect(try await time.timers(of: plan).isEmpty)
      }
      #expect(try await time.firings("complete", of: plan) == 1)
      let shown = try await time.shop.records.show(ana, type: "trips.plan", id: plan)
      #expect(shown["status"] == "completed")
    }
  }

  @Test func `a timer that cannot be fired waits and does not block others`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await fixture.superuser.execute(
        """
        insert into core.timer (company_id, record_type, record_id, entry_no, fire, due_at)
        values (\(fixture.company), 'gone.type', \(UUID()), 1, 'remind', now() - interval '10 days')
        """
      )
      try await time.pass("7 days")
      #expect(await keeper.fireAll() == 2)
      #expect(try await time.firings("remind") == 1)
      let (failures, waits) = try #require(
        try await fixture.superuser.rows(
          "select failures, due_at > now() from core.timer where record_type = 'gone.type'",
          Int.self,
          Bool.self
        ).first
      )
      #expect(failures == 1 && waits)
    }
  }

  @Test func `the database decides when a timer is due, to the second`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      try await fixture.superuser.execute(
        "update core.timer set due_at = clock_timestamp() + interval '1 hour'"
      )
      #expect(await keeper.fireAll() == 0)
      try await fixture.superuser.execute("update core.timer set due_at = clock_timestamp()")
      #expect(await keeper.fireAll() == 1)
    }
  }

  @Test func `beside a worker, timers fire by themselves until it is told to stop`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      let keeper = try await time.keeper()
      let running = Task { try await keeper.run() }
      try await time.pass("7 days")
      try await until { try await time.firings("remind") == 1 }
      running.cancel()
      try await running.value
    }
  }

  /// Returns the state of the entry as a device sees it: its version and place in the feed.
  private func state(_ time: Timekeeping) async throws -> [Int64] {
    try await time.fixture.superuser.rows(
      """
      select e.version from maintenance.entry e where e.id = \(time.shop.entry)
      union all
      select max(f.seq) from core.feed f
      """,
      Int64.self
    )
  }
}
