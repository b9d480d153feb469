internal import Cluster
internal import FoundationEssentials
internal import Postgres

/// A drain of a backlog by worker processes, from the start signal until the end of every job is committed.
struct Drain: Sendable {
  let server: BenchServer
  let backlog: Backlog
  let workers: Int
  /// Stops the clock after this many jobs; nil for all.
  var limit: Int?

  struct Outcome: Sendable {
    let jobs: Int
    let seconds: Double
    /// Microseconds per job.
    let serverCPU: Double
    let workerCPU: Double

    var perSecond: Double { Double(jobs) / seconds }
  }

  /// Runs the drain in a database of its own, which is dropped afterwards.
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
          description: "\(calls) calls with a sum of \(sum) for \(backlog.jobs) jobs of \(backlog.sum)"
        )
      }
      let (succeeded, asked) = try await Self.succeeded(superuser, of: backlog)
      guard succeeded == asked else {
        throw Tool.Failure(description: "\(succeeded) of \(asked) jobs are recorded as done")
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

  /// Returns how many jobs have succeeded according to the queue, and how many were checked: a sample of a
  /// large backlog, since checking a million one by one takes minutes.
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
  /// The process id of the postmaster.
  func postmaster() async throws -> Int {
    let text = try String(contentsOfFile: "\(cluster.directory)/data/postmaster.pid", encoding: .utf8)
    return text.split(separator: "\n").first.flatMap { Int($0) } ?? 0
  }
}
