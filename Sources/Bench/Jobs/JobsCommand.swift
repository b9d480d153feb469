internal import ArgumentParser
internal import FoundationEssentials

/// Measures the queue beside pgbench, COPY and other queues.
struct JobsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs",
    abstract: "Compare the queue with pgbench, COPY and other queues",
    discussion: """
      Creates a private, durable PostgreSQL in --home and stops it at the end; remove
      the folder afterwards. Exit code 1 if a group of figures failed.

      Example:
        fettle-bench jobs --home /var/tmp/bench --peers .build/peers/bin/python
      """
  )

  @Option(help: "Empty folder for the private PostgreSQL, on the disk to measure")
  var home: String

  @Flag(help: "Fewer and shorter rounds")
  var quick = false

  @Option(help: "Number of measurements per side (default: 5; with --quick 3)")
  var rounds: Int?

  @Option(help: "Number of jobs per drain, 1000 or more")
  var jobs = 200_000

  @Option(help: "Number of jobs in the deep backlog")
  var backlog = 1_000_000

  @Option(help: "Minutes of steady work with a snapshot held open, and as many without; 0 for none")
  var pinnedMinutes = 1.0

  @Option(
    help: "Number of jobs for response times, 100000 or more (default: 10000000; with --quick a tenth)"
  )
  var counts: Int?

  @Option(help: "Python of the environment made by deploy/peers/setup (default: no other queues)")
  var peers: String?

  @Option(
    parsing: .upToNextOption,
    help: "Figures: drain, limit, enqueue, pickup, backlog, companies, fairness, pinned or counts"
  )
  var only: [JobFigures.Kind] = []

  func validate() throws {
    guard home.hasPrefix("/") else { throw ValidationError("--home is an absolute path") }
    guard jobs >= 1_000 else { throw ValidationError("--jobs is 1000 or more") }
    guard counts ?? 100_000 >= 100_000 else { throw ValidationError("--counts is 100000 or more") }
  }

  func run() async throws {
    let plan = JobPlan(
      rounds: rounds ?? (quick ? 3 : 5),
      jobs: jobs,
      peerJobs: min(jobs, quick ? 10_000 : 30_000),
      backlog: backlog,
      seconds: quick ? 3 : 8,
      samples: quick ? 200 : 500,
      pinnedSeconds: pinnedMinutes * 60,
      counts: counts ?? (quick ? 1_000_000 : 10_000_000),
      peers: peers,
      kinds: only.isEmpty ? Set(JobFigures.Kind.allCases) : Set(only)
    )
    try await BenchServer.with(home: home) { server in
      let (lines, failed) = await JobFigures(server: server, plan: plan).measure()
      JobReport.print(lines, facts: try await server.facts(), plan: plan)
      if !failed.isEmpty { throw ExitCode.failure }
    }
  }
}

/// The sizes of the measurements.
struct JobPlan: Sendable {
  let rounds: Int
  let jobs: Int
  let peerJobs: Int
  let backlog: Int
  let seconds: Int
  let samples: Int
  let pinnedSeconds: Double
  let counts: Int
  let peers: String?
  let kinds: Set<JobFigures.Kind>
}
