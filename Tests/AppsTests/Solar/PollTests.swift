import AppInterfaces
import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import TestTools
import Testing
import Webhooks

@Suite(.serialized, .timeLimit(.minutes(60))) struct PollTests {
  @Test func `a site is asked again and again by one chain of jobs, and says each sample once`() async throws
  {
    let inverter = try HookReceiver(
      .text(
        200,
        #"{"inverter_reading": 3.125, "meter_reading": 500.5, "timestamp": "2026-03-01T12:00:00Z"}"#
      ),
      .text(
        200,
        #"{"inverter_reading": 3.125, "meter_reading": 500.5, "timestamp": "2026-03-01T12:00:00Z"}"#
      ),
      .status(500),
      .text(200, #"{"inverter_reading": 0, "meter_reading": 501, "timestamp": "2026-03-01T12:01:00Z"}"#)
    )
    defer { inverter.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: nil)
      let site = try await poll(inverter.url, grid)
      try await work(grid) { try await samples(fixture, site).count == 2 }
      #expect(
        try await samples(fixture, site) == [
          "2026-03-01 12:00:00+00 3.125 500.500", "2026-03-01 12:01:00+00 0.000 501.000",
        ]
      )
      #expect(inverter.requests.count >= 4)
      #expect(try await chains(fixture) == 1)
      #expect(
        try await fixture.superuser.value(
          "select count(*)::int from core.job where kind = 'solar.poll' and state = 'dead'",
          as: Int.self
        ) == 0
      )
    }
  }

  @Test func `changing a site leaves one chain, which asks sooner if it is to`() async throws {
    let inverter = try HookReceiver()
    defer { inverter.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: nil)
      let site = try await poll(inverter.url, grid, every: 86_400)
      try await finish(grid)
      #expect(try await chains(fixture) == 1)
      for seconds in [3_600, 60] {
        _ = try await grid.records.update(
          fixture.operatorContext,
          type: "solar.site",
          id: site,
          fields: ["poll_seconds": .integer(seconds)]
        )
        try await finish(grid)
        #expect(try await chains(fixture) == 1)
      }
      let wait = try await fixture.superuser.value(
        "select extract(epoch from j.run_at - now())::int from core.job j where j.kind = 'solar.poll' and j.state = 'queued'",
        as: Int.self
      )
      #expect(wait <= 60)
    }
  }

  @Test func `a site that is no longer polled ends its chain`() async throws {
    let inverter = try HookReceiver()
    defer { inverter.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: nil)
      let site = try await poll(inverter.url, grid)
      try await finish(grid)
      _ = try await grid.records.update(
        fixture.operatorContext,
        type: "solar.site",
        id: site,
        fields: ["source_kind": "push"]
      )
      try await work(grid) { try await chains(fixture) == 0 }
    }
  }

  @Test func `an answer without a sample is told on the next job`() async throws {
    let inverter = try HookReceiver(.text(200, "sunny"))
    defer { inverter.stop() }
    try await JobFixture.open { fixture in
      let grid = try await Grid(fixture, endpoint: nil)
      let site = try await poll(inverter.url, grid, every: 86_400)
      try await finish(grid)
      let failure = try await fixture.superuser.value(
        """
        select p.payload ->> 'last_failure' from core.job j
        join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
        where j.kind = 'solar.poll' and j.state = 'queued'
        """,
        as: String?.self
      )
      #expect(failure != nil)
      #expect(try await samples(fixture, site).isEmpty)
    }
  }

  private func poll(_ url: String, _ grid: Grid, every seconds: Int = 10) async throws -> UUID {
    try await grid.records.create(
      grid.fixture.operatorContext,
      type: "solar.site",
      fields: [
        "name": "Barn", "source_kind": "poll", "source_config": ["url": .string(url)],
        "poll_seconds": .integer(seconds),
      ]
    ).id
  }

  /// Runs the jobs that are due now, and no deferred ones.
  private func finish(_ grid: Grid) async throws {
    let handlers = CompiledApps.handlers(grid.records, policy: .publicAndPrivate)
    try await grid.fixture.working(grid.fixture.worker(handlers)) {
      try await until {
        try await grid.fixture.superuser.value(
          "select not exists (select from core.job where finished_at is null and run_at <= now())",
          as: Bool.self
        )
      }
    }
  }

  private func work(_ grid: Grid, until holds: @Sendable () async throws -> Bool) async throws {
    let handlers = CompiledApps.handlers(grid.records, policy: .publicAndPrivate)
    try await grid.fixture.working(grid.fixture.worker(handlers)) {
      try await until {
        try await grid.fixture.hurry()
        return try await holds()
      }
    }
  }

  private func chains(_ fixture: JobFixture) async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.job where kind = 'solar.poll' and finished_at is null",
      as: Int.self
    )
  }

  private func samples(_ fixture: JobFixture, _ site: UUID) async throws -> [String] {
    try await fixture.superuser.rows(
      """
      select concat_ws(' ', s.taken_at, s.inverter_kw, s.meter_kwh) from solar.sample s
      where s.company_id = \(fixture.company) and s.site_id = \(site)
      order by s.taken_at
      """,
      String.self
    )
  }
}
