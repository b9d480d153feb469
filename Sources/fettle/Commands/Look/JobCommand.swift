internal import ArgumentParser
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

struct JobCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "job",
    abstract: "Jobs: what runs after the fact, and what became of it.",
    discussion: "Example: fettle job list --state dead",
    subcommands: [List.self, Show.self, Retry.self, Cancel.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List jobs, newest first; without --company of all companies.",
      discussion: "Example: fettle job list --company acme --state dead"
    )
    @OptionGroup var options: RecordOptions
    @Option(help: "Only jobs that are queued, running, retrying, succeeded, dead or cancelled.") var state:
      String?
    @Option(help: "Only jobs of this kind.") var kind: String?
    @Option(help: "How many at most.") var limit = 50

    func run() async throws {
      let jobs: [JobRow]
      if options.company.isNamed {
        jobs = try await options.company.withSeat { services, seat in
          try await JobDesk(services).list(seat, state: state, kind: kind, limit: limit)
        }
      } else {
        jobs = try await options.company.connection.withServices {
          try await JobDesk($0).all(state: state, kind: kind, limit: limit)
        }
      }
      let table = Table(
        columns: [
          Column("id"), Column("company"), Column("kind"), JobColumns.state, Column("attempt", kind: .number),
          Column("max_attempts", kind: .number), Column("created_at", kind: .instant),
          Column("finished_at", kind: .instant),
        ],
        rows: jobs.map { job in
          [
            Cell(job.id), .string(job.company), .string(job.kind), .string(job.state), .integer(job.attempt),
            .integer(job.maxAttempts), Cell(job.createdAt), Cell(job.finishedAt),
          ]
        }
      )
      guard options.output.output == .table, options.output.columns == nil else {
        return try options.output.print(table)
      }
      let whose = options.company.isNamed ? [] : ["company"]
      try options.output.print(
        ShortID.shortening(table, on: Screen.output),
        forPeople: ["id"] + whose + ["kind", "state", "attempt", "created_at"]
      )
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a job with its attempts.",
      discussion: "Example: fettle job show 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Its id, or the beginning of it.") var job: String

    func run() async throws {
      let detail = try await options.company.withSeat { services, seat in
        let desk = JobDesk(services)
        return try await desk.show(seat, id: try await desk.resolve(seat, job))
      }
      let attempts = detail.attempts.map { attempt in
        Cell.nested([
          .init("attempt", .integer(attempt.attempt)), .init("outcome", .optional(attempt.outcome)),
          .init("started_at", Cell(attempt.startedAt)), .init("finished_at", Cell(attempt.finishedAt)),
          .init("error", .optional(attempt.error)),
        ])
      }
      try options.output.printRecord([
        (Column("id"), Cell(detail.job.id)), (Column("company"), .string(detail.job.company)),
        (Column("kind"), .string(detail.job.kind)), (Column("queue"), .string(detail.job.queue)),
        (JobColumns.state, .string(detail.job.state)), (Column("run_at"), Cell(detail.job.runAt)),
        (Column("payload"), try detail.payload.map { Cell(try $0.value()) } ?? .null),
        (Column("attempts"), .list(attempts)),
      ])
    }
  }

  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Queue a dead or cancelled job again.",
      discussion: "Example: fettle job retry 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Its id, or the beginning of it.") var job: String

    func run() async throws {
      let id = try await options.company.withSeat { services, seat in
        let desk = JobDesk(services)
        let id = try await desk.resolve(seat, job)
        try await desk.retry(seat, id: id)
        return id
      }
      try options.output.report(
        "queued job \(job) again",
        [(Column("id"), Cell(id)), (Column("state"), "retrying")]
      )
    }
  }

  struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Cancel a job that waits.",
      discussion: "Example: fettle job cancel 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Its id, or the beginning of it.") var job: String

    func run() async throws {
      let id = try await options.company.withSeat { services, seat in
        let desk = JobDesk(services)
        let id = try await desk.resolve(seat, job)
        try await desk.cancel(seat, id: id)
        return id
      }
      try options.output.report(
        "cancelled job \(job)",
        [(Column("id"), Cell(id)), (Column("state"), "cancelled")]
      )
    }
  }
}

/// What the job commands share.
enum JobColumns {
  static let state = Terminal.Column(
    "state",
    kind: .status([
      "queued": .yellow, "running": .blue, "retrying": .magenta, "succeeded": .green, "dead": .red,
      "cancelled": .gray,
    ])
  )
}
