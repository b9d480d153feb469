import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Logging
import Postgres
import Prometheus
import Store
import TestDatabase
import Testing

@testable import Jobs

/// The metrics of workers and timekeepers.
@Suite(.timeLimit(.minutes(60))) struct MetricsTests {
  private func registry() -> MetricsRegistry {
    MetricsRegistry(JobMetricNames.all + ProcessMetrics.descriptions)
  }

  private func worker(_ fixture: JobFixture, _ handlers: HandlerTable, _ registry: MetricsRegistry) -> Worker
  {
    var configuration = WorkerConfiguration()
    configuration.poll = .milliseconds(20)
    configuration.heartbeat = .milliseconds(50)
    configuration.lease = .seconds(300)
    return Worker(
      database: fixture.workers,
      queue: fixture.queue,
      handlers: handlers,
      configuration: configuration,
      metrics: registry,
      logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
    )
  }

  @Test func `attempts are counted by queue, kind and how they ended`() async throws {
    try await JobFixture.open { fixture in
      let registry = registry()
      let handlers = HandlerTable(
        TestHandler { _ in .none },
        TestHandler("test.effects") { _ in JobEffects { tx in try fixture.leaveTrace(tx) } },
        TestHandler("test.once") { context in
          guard context.job.attempt > 1 else { throw JobFailure.temporary("again", after: .milliseconds(1)) }
          return .none
        },
        TestHandler("test.never") { _ in throw JobFailure.permanent("never") },
        TestHandler("test.later") { _ in throw JobFailure.snooze(.seconds(3_600)) }
      )
      let kinds = ["test.job", "test.job", "test.effects", "test.once", "test.never", "test.later"]
      var jobs: [UUID] = []
      for kind in kinds { jobs.append(try await fixture.enqueue(kind)) }
      let worker = worker(fixture, handlers, registry)
      try await fixture.working(worker) {
        for id in jobs.prefix(4) { try await fixture.reach(.succeeded, id) }
        try await fixture.reach(.dead, jobs[4])
        try await until { try await fixture.attempts(jobs[5]).first?.outcome == .snoozed }
      }
      let text = registry.text()
      func expect(_ line: String, _ place: SourceLocation = #_sourceLocation) {
        #expect(text.contains(line + "\n"), "\(line) in \(text)", sourceLocation: place)
      }
      func finished(
        _ kind: String,
        _ outcome: String,
        _ count: Int,
        _ place: SourceLocation = #_sourceLocation
      ) {
        expect(
          "fettle_jobs_finished_total{queue=\"default\",kind=\"\(kind)\",outcome=\"\(outcome)\"} \(count)",
          place
        )
      }
      finished("test.job", "succeeded", 2)
      finished("test.job", "dead", 0)
      finished("test.effects", "succeeded", 1)
      finished("test.once", "failed", 1)
      finished("test.once", "succeeded", 1)
      finished("test.never", "dead", 1)
      finished("test.later", "snoozed", 1)
      expect(#"fettle_jobs_claimed_total{queue="default",kind="test.job"} 2"#)
      expect(#"fettle_jobs_claimed_total{queue="default",kind="test.once"} 2"#)
      expect(#"fettle_job_duration_seconds_count{queue="default",kind="test.once"} 2"#)
      expect(#"fettle_job_wait_seconds_count{queue="default",kind="test.job"} 2"#)
      // Nothing that identifies a company, record or job.
      #expect(!text.contains(fixture.company.text) && !text.contains("company"))
      for id in jobs { #expect(!text.contains(id.text)) }
    }
  }

  @Test func `an attempt's wait begins when it is ready, not when the job was enqueued`() async throws {
    try await JobFixture.open { fixture in
      let id = try await fixture.enqueue()
      try await fixture.superuser.execute(
        "update core.job_queued set created_at = now() - interval '2 hours'"
      )
      let job = try #require(try await fixture.claim(by: UUID()).first)
      #expect(job.id == id && job.waited < .seconds(1_000))
      try await fixture.superuser.execute("update core.job_queued set ready_at = now() - interval '2 hours'")
      let again = UUID()
      try await fixture.enqueue()
      try await fixture.superuser.execute("update core.job_queued set ready_at = now() - interval '2 hours'")
      #expect(try #require(try await fixture.claim(by: again).first).waited > .seconds(7_000))
    }
  }

  @Test func `gauges show the counts of the queue, and 0 for jobs that are gone`() async throws {
    try await JobFixture.open { fixture in
      let registry = registry()
      let gauges = QueueGauges(
        fixture.workers,
        registry,
        logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
      )
      var shown = QueueGauges.Shown()
      for _ in 0..<3 { try await fixture.enqueue("test.many") }
      try await fixture.superuser.execute("update core.job_queued set created_at = now() - interval '1 hour'")
      let id = try await fixture.enqueue("test.later", runAt: Instant(microseconds: 4_000_000_000_000_000))
      // The gauges use counts that are younger than a moment without an update.
      try await fixture.workers.execute("select core.count_jobs('0 seconds')")
      try await gauges.read(&shown)
      var text = registry.text()
      #expect(text.contains(#"fettle_queue_jobs{queue="default",kind="test.many",state="queued"} 3"#))
      #expect(text.contains(#"fettle_queue_jobs{queue="default",kind="test.later",state="waiting"} 1"#))
      #expect(text.contains(#"fettle_queue_paused{queue="default",kind="test.many"} 0"#))
      #expect(text.contains("fettle_workers 0"))
      #expect(text.contains("# TYPE fettle_queue_oldest_age_seconds gauge"))
      try await fixture.superuser.execute("delete from core.job_deferred where id = \(id)")
      try await gauges.read(&shown)
      text = registry.text()
      #expect(text.contains(#"fettle_queue_jobs{queue="default",kind="test.later",state="waiting"} 0"#))
      #expect(text.contains("test.many"))
    }
  }

  @Test func `gauges of a worker and its pool are there before it has done anything`() async throws {
    try await JobFixture.open { fixture in
      let registry = registry()
      let worker = worker(fixture, HandlerTable(TestHandler { _ in .none }), registry)
      let gauges = WorkerGauges(worker, registry)
      let pool = PoolGauges(fixture.workers, registry)
      gauges.read()
      pool.read()
      #expect(registry.text().contains("\nfettle_worker_ready 0\n"))
      #expect(!registry.text().contains("fettle_worker_claim_timestamp_seconds"))
      try await fixture.working(worker) {
        try await until {
          gauges.read()
          return registry.text().contains("\nfettle_worker_ready 1\n")
        }
        #expect(registry.text().contains("\nfettle_worker_claim_timestamp_seconds 1"))
        #expect(registry.text().contains("fettle_pool_size 8"))
      }
      gauges.read()
      #expect(registry.text().contains("\nfettle_worker_ready 0\n"))
    }
  }

  @Test func `the totals of devices are exported, and 0 without any`() async throws {
    try await JobFixture.open { fixture in
      let registry = registry()
      let gauges = SyncGauges(
        fixture.workers,
        registry,
        logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
      )
      try await gauges.read()
      let text = registry.text()
      for line in [
        "fettle_sync_devices 0", "fettle_sync_devices_behind 0", "fettle_sync_oldest_pending_seconds 0",
        #"fettle_sync_changes_waiting{status="conflict"} 0"#, "fettle_sync_undecided_seconds 0",
      ] { #expect(text.contains("\n\(line)\n"), "\(line) in \(text)") }
    }
  }

  @Test(arguments: ["alerts.yml", "alerts.test.yml", "dashboard.json"])
  func `the metrics of alerts and dashboards exist, with their names and labels`(file: String) throws {
    let folder = #filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/" + $1 }
    let text = try String(contentsOfFile: "\(folder)/deploy/metrics/\(file)", encoding: .utf8)
    var known: Set<String> = []
    var labels: Set<String> = ["le", "instance", "job"]
    for metric in JobMetricNames.all + JobMetricNames.backups + ProcessMetrics.descriptions {
      known.insert(metric.name)
      labels.formUnion(metric.labels)
      guard metric.kind == .histogram else { continue }
      for suffix in ["bucket", "sum", "count"] { known.insert("\(metric.name)_\(suffix)") }
    }
    let used = text.matches(of: /\b(?:fettle|process)_[a-z_]+\b(?:\{([^}]*)\})?/)
    #expect(used.count > 10)
    for use in used {
      let name = use.output.0.prefix { $0 != "{" }
      #expect(known.contains(String(name)), "\(name)")
      for label in (use.output.1 ?? "").matches(of: /([a-z_]+)\s*(?:=|!)/) {
        #expect(labels.contains(String(label.output.1)), "\(name): \(label.output.1)")
      }
    }
    if file.hasSuffix(".json") {
      _ = try JSON(text: text).value()
    }
  }
}
