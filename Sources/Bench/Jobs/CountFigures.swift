internal import Cluster
internal import Postgres

/// Measures the response times of operator commands, from process start to end, with many jobs of many companies in every
/// state but cancelled, and with two running workers.
struct CountFigures {
  let plan: Plan
  let jobs: Int

  private static let database = "fettle_bench_counts"
  private static let doneKinds = ["bench.done_a", "bench.done_b", "bench.done_c", "bench.done_d"]
  private static let laterKinds = ["bench.later_a", "bench.later_b", "bench.later_c", "bench.later_d"]
  private static let failing = 4_000

  func measure() async throws -> [Line] {
    let server = plan.server
    return try await server.withCopy(Self.database) { superuser in
      let team = try await fill(superuser)
      let first: SQL = "select c.slug from core.company c order by c.id limit 1"
      let company = try await superuser.value(first, as: String.self)
      let job = try await superuser.value(
        """
        select p.id::text from core.job_queued p join core.company c on c.id = p.company_id
        where c.slug = \(company) order by p.xid, p.id limit 1
        """,
        as: String.self
      )
      let (host, port) = (server.cluster.socketDirectory, String(server.cluster.port))
      let environment = ["PGHOST": host, "PGPORT": port, "PGDATABASE": Self.database]
      // The first command counts all jobs; later commands count only new jobs.
      Report.progress("first count of all jobs")
      _ = try ChildProcess.run(ChildProcess.beside("fettle"), ["queue", "stats"], environment: environment)
      var lines: [Line] = []
      for arguments in Self.commands(company: company, job: job) {
        lines += try await measure(arguments, environment, [company: "C", job: "ID"])
      }
      lines += try await pages(company: company, job: job, environment)
      try await team.stop()
      return lines
    }
  }

  /// Measures pages of `fettle console`: of 40 requests, one after the other, the time that 38 take at most (p95).
  private func pages(company: String, job: String, _ environment: [String: String]) async throws -> [Line] {
    let port = try Connection.freePort()
    let home = plan.server.cluster.directory
    let keys = ["FETTLE_KEY_FILE": "\(home)/fettle.key", "FETTLE_BLOBS": "\(home)/files"]
    let process = try ChildProcess(
      ChildProcess.beside("fettle"),
      ["console", "--port", "\(port)"],
      environment: environment.merging(keys) { $1 },
      log: "\(home)/console.log"
    )
    return try await process.during {
      try await Connection.awaitReady(process, port: port, "/livez")
      // The address follows in the next moment.
      while process.isRunning, !process.output.contains("/enter/") {
        try await Task.sleep(for: .milliseconds(10))
      }
      let said = process.output
      guard let start = said.firstRange(of: "/enter/")?.lowerBound,
        let cookie = try Connection(port: port)
          .require("GET", String(said[start...].prefix { !$0.isWhitespace }))
          .headers["set-cookie"]?.prefix(while: { $0 != ";" })
      else { throw Failure("no way into the console:\n\(said)") }
      let connection = try Connection(port: port, headers: ["Cookie: \(cookie)"])
      let paths = [
        ("Queues", "/queues"), ("Jobs", "/jobs"), ("Jobs, dead", "/jobs?state=dead"),
        ("Jobs, succeeded", "/jobs?state=succeeded"), ("Jobs of a company", "/jobs?company=\(company)"),
        ("one job", "/jobs/\(company)/\(job)"), ("Overview", "/"),
      ]
      var lines: [Line] = []
      for (name, path) in paths {
        Report.progress("console \(path)")
        let side = Side.value("console: \(name), p95, of \(Report.text(jobs))", aim: .atMost(100)) {
          try Self.slowest(connection, path)
        }
        lines += try await Contest(unit: "ms", ours: [side], peers: []).run(max(3, plan.rounds))
      }
      return lines
    }
  }

  private static func slowest(_ connection: Connection, _ path: String) throws -> Double {
    var times: [Duration] = []
    for _ in 0..<40 {
      let start = ContinuousClock.now
      let answer = try connection.require("GET", path)
      times.append(.now - start)
      guard answer.text.contains("<h1>") else { throw Failure("\(path) is no page") }
    }
    return times.sorted()[37] / .milliseconds(1)
  }

  /// Enqueues the jobs and runs about half of them. The others wait, or run until the end.
  private func fill(_ superuser: Database) async throws -> WorkerTeam {
    Report.progress("creating \(jobs) jobs; half of them run first")
    let (done, hanging) = (jobs / 2 - Self.failing, 100)
    // The number of companies is not a multiple of that of the kinds, so that each company has jobs of every kind.
    func enqueue(_ count: Int, _ kinds: [String], in companies: Int = 2_501, attempts: Int = 5) async throws {
      var backlog = Backlog(jobs: count, companies: companies, kinds: kinds, attempts: attempts)
      backlog.atOnce = 20_000
      try await backlog.enqueue(superuser)
    }
    try await enqueue(done, Self.doneKinds)
    // With one attempt, failing jobs are dead; with 25, they are retrying.
    try await enqueue(Self.failing / 2, [BenchHandler.broken], in: 100, attempts: 1)
    try await enqueue(Self.failing / 2, [BenchHandler.broken], in: 100, attempts: 25)
    let kinds = Self.doneKinds + [BenchHandler.broken, BenchHandler.hung]
    let team = try await WorkerTeam.start(2, plan.server, Self.database, kinds)
    try await team.awaitCalls(done)
    let failed: SQL = "select count(distinct a.job_id) from core.job_attempt a where a.outcome = 'failed'"
    while try await superuser.value(failed, as: Int.self) < Self.failing {
      try await Task.sleep(for: .milliseconds(100))
    }
    try await enqueue(hanging, [BenchHandler.hung])
    try await enqueue(jobs - done - Self.failing - hanging, Self.laterKinds)
    return team
  }

  private func measure(_ arguments: [String], _ environment: [String: String], _ names: [String: String])
    async throws -> [Line]
  {
    let command = "fettle \(arguments.joined(separator: " "))"
    Report.progress(command)
    let fettle = try ChildProcess.beside("fettle")
    let words = arguments.map { names[$0] ?? $0 }.joined(separator: " ")
    let ours = Side.value("\(words), of \(Report.text(jobs))", aim: .atMost(100)) {
      let (output, seconds) = try ChildProcess.run(fettle, arguments, environment: environment)
      // An empty result would be misleadingly fast.
      guard output.split(separator: "\n").count >= 2 else { throw Failure("\(command) found nothing") }
      return seconds * 1_000
    }
    let peer = Side.value("fettle version") {
      try ChildProcess.run(fettle, ["version"], environment: environment).seconds * 1_000
    }
    return try await Contest(unit: "ms", ours: [ours], peers: [peer]).run(max(7, plan.rounds))
  }

  private static func commands(company: String, job: String) -> [[String]] {
    let states = ["queued", "running", "retrying", "succeeded", "dead"]
    let kinds = [doneKinds[0], laterKinds[0], BenchHandler.broken]
    return [["queue", "stats"], ["job", "list"]]
      + states.map { ["job", "list", "--state", $0] }
      + kinds.map { ["job", "list", "--kind", $0] }
      + [
        ["job", "list", "--company", company], ["job", "list", "--company", company, "--state", "succeeded"],
      ]
      + [["job", "show", job, "--company", company]]
  }
}
