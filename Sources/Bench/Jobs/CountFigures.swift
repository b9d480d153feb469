internal import Cluster
internal import FoundationEssentials
internal import Postgres

/// Measures the response times of operator commands, from process start to end, with many jobs in the
/// database.
struct CountFigures {
  let server: BenchServer
  let plan: JobPlan

  private static let database = "fettle_bench_counts"

  func measure() async throws -> [JobLine] {
    let fettle = try BuiltCommand.find("fettle")
    let stock = CountStock(server: server, database: Self.database, jobs: plan.counts)
    let lines = try await stock.with { superuser in
      let company = try await superuser.value(
        "select c.slug from core.company c order by c.id limit 1",
        as: String.self
      )
      let job = try await superuser.value(
        """
        select p.id::text from core.job_queued p join core.company c on c.id = p.company_id
        where c.slug = \(company) order by p.xid, p.id limit 1
        """,
        as: String.self
      )
      let environment = [
        "PGHOST": server.cluster.socketDirectory, "PGPORT": String(server.cluster.port),
        "PGDATABASE": Self.database,
        "PATH": "/usr/bin:/bin",
      ]
      // The first command counts all jobs; later commands count only new jobs.
      Report.progress("first count of all jobs")
      _ = try fettle.seconds(["queue", "stats"], environment)
      return try Self.commands(company: company, job: job).map { arguments in
        Report.progress("fettle \(arguments.joined(separator: " "))")
        // Checks the output once, because an empty result would be misleadingly fast.
        guard try fettle.lines(arguments, environment) >= 2 else {
          throw Tool.Failure(description: "fettle \(arguments.joined(separator: " ")) found nothing")
        }
        var ours: [Double] = []
        var bare: [Double] = []
        for _ in 0..<max(7, plan.rounds) {
          bare.append(try fettle.seconds(["version"], environment) * 1_000)
          ours.append(try fettle.seconds(arguments, environment) * 1_000)
        }
        let words = arguments.map { $0 == company ? "C" : $0 == job ? "ID" : $0 }
        return JobLine(
          name: "\(words.joined(separator: " ")), of \(JobReport.text(Double(plan.counts)))",
          unit: "ms",
          ours: ours,
          peer: "fettle version",
          theirs: bare,
          atMost: 100
        )
      }
    }
    _ = try await server.withConnection(to: "postgres") { superuser in
      try await superuser.execute("drop database \(identifier: Self.database) with (force)")
    }
    return lines
  }

  private static func commands(company: String, job: String) -> [[String]] {
    let states = ["queued", "running", "retrying", "succeeded", "dead"]
    let kinds = [CountStock.doneKinds[0], CountStock.laterKinds[0], FailingHandler.name]
    return [["queue", "stats"], ["job", "list"]]
      + states.map { ["job", "list", "--state", $0] }
      + kinds.map { ["job", "list", "--kind", $0] }
      + [
        ["job", "list", "--company", company],
        ["job", "list", "--company", company, "--state", "succeeded"],
        ["job", "show", job, "--company", company],
      ]
  }
}
