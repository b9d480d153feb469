internal import ArgumentParser

/// Measures the queue beside pgbench, COPY and other queues.
struct JobsCommand: FigureCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs",
    abstract: "Compare the queue with pgbench, COPY and other queues",
    discussion: BenchOptions.discussion(groups, example: "jobs --home /var/tmp/bench --only drain limit")
  )
  static let groups = [
    "drain", "limit", "enqueue", "pickup", "backlog", "companies", "fairness", "pinned", "counts",
  ]
  static let sizes = [(rounds: 5, seconds: 8), (rounds: 3, seconds: 3)]
  static let report = Report(
    cpu: ["server", "worker"],
    sharers: "server, workers and callers",
    text: """
      CPU: microseconds per job of the server's processes and of the worker processes. Each job of a drain has its own \
      payload; the bench checks that its handler ran once and that it is recorded as succeeded. Workers have the default \
      settings: 8 concurrent jobs, up to 1,000 jobs per claim and 2,000 claimed jobs that have not started. Claims do not \
      wait for the disk, since a lost claim is repeated; queued rows and acknowledgements do.
      """
  )

  @OptionGroup var options: BenchOptions
  var clients: Int { 8 }

  @Option(help: "Number of jobs per drain, 1000 or more")
  var jobs = 200_000

  @Option(help: "Number of jobs in the deep backlog")
  var backlog = 1_000_000

  @Option(help: "Minutes of steady work with a snapshot held open, and as many without; 0 for none")
  var pinnedMinutes = 1.0

  @Option(help: "Number of jobs for response times, 100000 or more (default: 10000000; with --quick a tenth)")
  var counts: Int?

  func validate() throws {
    guard jobs >= 1_000 else { throw ValidationError("--jobs is 1000 or more") }
    guard counts ?? 100_000 >= 100_000 else { throw ValidationError("--counts is 100000 or more") }
  }

  func measure(_ plan: Plan) async throws -> Plan.Outcome {
    let drains = DrainFigures(plan: plan, jobs: jobs)
    let counted = CountFigures(plan: plan, jobs: counts ?? (plan.quick ? 1_000_000 : 10_000_000))
    return await plan.outcome([
      "drain": { try await drains.besideQueues() },
      "limit": { try await LimitFigures(plan: plan, jobs: jobs).measure() },
      "enqueue": { try await EnqueueFigures(plan: plan, jobs: jobs).measure() },
      "pickup": { try await PickupFigures(plan: plan).whenIdle() },
      "backlog": { try await drains.deep(backlog) },
      "companies": { try await drains.manyCompanies() },
      "fairness": { try await PickupFigures(plan: plan).beside(backlog) },
      "pinned": { try await Churn.besidePinned(plan, seconds: Int(pinnedMinutes * 60)) },
      "counts": { try await counted.measure() },
    ])
  }
}
