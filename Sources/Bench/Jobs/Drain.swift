internal import Cluster
internal import FoundationEssentials
internal import Postgres

/// A drain of a backlog by worker processes, measured from the start signal until all jobs are acknowledged.
struct Drain: Sendable {
  let server: BenchServer
  let backlog: Backlog
  let workers: Int
  /// The number of handler calls after which the clock is stopped; nil to wait until all jobs are
  /// acknowledged.
  var limit: Int?

  struct Outcome: Sendable {
    let jobs: Int
    let seconds: Double
    /// The CPU time of the server's processes, in microseconds per job.
    let serverCPU: Double
    /// The CPU time of the worker processes, in microseconds per job.
    let workerCPU: Double

    var perSecond: Double { Double(jobs) / seconds }
  }

  /// Runs the drain in its own database, which is dropped afterwards.
  ///
  /// - Throws: ``Tool/Failure`` if jobs do not run within ten minutes, or if calls and recorded successes
  ///   differ from the backlog.
  func measure() async throws -> Outcome {
    let name = "fettle_bench_drain"
    try await server.copy(to: name)
    let outcome = try await server.withConnection(to: name, poolSize: 2) { superuser in
      try await backlog.enqueue(superuser)
      return try await drain(superuser, database: name)
    }
    _ = try await server.withConnection(to: "postgres") { superuser in
      try await superuser.execute("drop database \(identifier: name) with (force)")
    }
    return outcome
  }

  private func drain(_ superuser: Database, database: String) async throws -> Outcome {
    let postmaster = try await server.postmaster()
    let team = try await DrainTeam.start(workers, server: server, database: database, kinds: backlog.kinds)
    let wanted = limit ?? backlog.jobs
    let cpu = ServerTime.spent(postmaster: postmaster)
    let start = ContinuousClock.now
    team.go()
    while team.counts.calls < wanted {
      guard ContinuousClock.now - start < .seconds(600) else {
        throw Tool.Failure(description: "only \(team.counts.calls) of \(wanted) jobs ran in ten minutes")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    if limit == nil {
      while try await Self.recorded(superuser) < wanted { try await Task.sleep(for: .milliseconds(2)) }
    }
    let done = limit == nil ? wanted : team.counts.calls
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let spent = ServerTime.spent(postmaster: postmaster) - cpu
    let counted = try await team.stop()
    if limit == nil {
      let (calls, sum) = team.counts
      guard calls == backlog.jobs, sum == backlog.sum else {
        throw Tool.Failure(
          description: "\(calls) calls with the sum \(sum), expected \(backlog.jobs) with \(backlog.sum)"
        )
      }
      let (succeeded, asked) = try await Self.succeeded(superuser, of: backlog)
      guard succeeded == asked else {
        throw Tool.Failure(description: "only \(succeeded) of \(asked) checked jobs have succeeded")
      }
    }
    return Outcome(
      jobs: done,
      seconds: seconds,
      serverCPU: spent / Double(done),
      workerCPU: counted.cpu / Double(done)
    )
  }

  /// Returns the number of jobs in acknowledged claims.
  private static func recorded(_ superuser: Database) async throws -> Int {
    try await superuser.value(
      """
      select coalesce(sum(c.jobs), 0)::bigint
      from core.job_claim c
      join core.job_ack s on s.company_id = c.company_id and s.lane = c.lane and s.no = c.no
      where s.outcome = 'finished'
      """,
      as: Int.self
    )
  }

  /// Returns the number of jobs that have succeeded according to the queue, and the number of checked jobs.
  /// Of more than 200,000 jobs, a sample of 1,000 is checked, because checking a million takes minutes.
  private static func succeeded(_ superuser: Database, of backlog: Backlog) async throws -> (Int, Int) {
    guard backlog.jobs > 200_000 else {
      let sql: SQL = "select count(*) from core.job where state = 'succeeded'"
      return (try await superuser.value(sql, as: Int.self), backlog.jobs)
    }
    let sample = 1_000
    let found = try await superuser.value(
      """
      select count(*)
      from (select p.company_id, p.id from core.job_queued p order by p.id limit \(Int64(sample))) p
      cross join lateral core.found_job(p.company_id, p.id) f
      where f.state = 'succeeded'
      """,
      as: Int.self
    )
    return (found, sample)
  }
}

extension BenchServer {
  /// Returns the process id of the postmaster; 0 if its file cannot be parsed.
  func postmaster() async throws -> Int {
    let text = try String(contentsOfFile: "\(cluster.directory)/data/postmaster.pid", encoding: .utf8)
    return text.split(separator: "\n").first.flatMap { Int($0) } ?? 0
  }
}
