internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

struct JobCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "job",
    abstract: "Inspect and control jobs",
    discussion: """
      Retry, run-now, cancel, discard and snooze change one job by its id, or all
      jobs that match --where.

      Examples:
        fettle job list --where state=dead
        fettle job retry --where state=dead,kind=solar.push --dry-run
      """,
    subcommands: [
      List.self, Show.self, Watch.self, Enqueue.self, Retry.self, RunNow.self, Cancel.self, Discard.self,
      Snooze.self,
    ],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List jobs, newest first",
      scope: .companyOrAll,
      discussion: """
        --where filters by state, kind and queue only. Queued and succeeded jobs are
        ordered by the time they were last enqueued, dead and cancelled ones by the
        time they ended. Without a state, the list lacks jobs that were cancelled
        before they were due, and jobs that ended before the retention of finished
        jobs.

        Examples:
          fettle job list --company acme --where state=dead
          fettle job list --state queued --kind solar.push --limit 200
        """
    )
    @OptionGroup var options: RecordOptions
    @Option(
      help: "Only jobs in this state: queued, running, retrying, succeeded, dead or cancelled",
      completion: .list(JobState.allCases.map(\.rawValue))
    )
    var state: String?
    @Option(help: "Only jobs of this kind", completion: .custom { _, _, _ in await LiveCompletion.kinds() })
    var kind: String?
    @Option(
      help: "Only jobs of this queue",
      completion: .custom { _, _, _ in await LiveCompletion.queues() }
    )
    var queue: String?
    @Option(help: "Maximum number of rows, 1 to 1000") var limit = 50
    @Option(help: ArgumentHelp("Cursor printed with the previous page", valueName: "place"))
    var after: String?

    func validate() throws {
      guard (1...1_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000") }
    }

    func run() async throws {
      let filter = try await options.checked(try options.jobs(state: state, kind: kind, queue: queue))
      let place = try after.map { try JobPlace(parsing: $0) } ?? JobPlace()
      let (page, errors): (JobPage, [UUID: String])
      if options.company.isNamed {
        (page, errors) = try await options.company.withActingContext { services, acting in
          let administration = JobAdministration(services)
          let page = try await administration.list(acting, filter, after: place, limit: limit)
          return (page, try await administration.lastErrors(of: page.jobs))
        }
      } else {
        (page, errors) = try await options.company.connection.withServices { services in
          let administration = JobAdministration(services)
          let page = try await administration.all(filter, after: place, limit: limit)
          return (page, try await administration.lastErrors(of: page.jobs))
        }
      }
      try options.print(page.jobs, errors: errors)
      if let next = page.next { Message.tell("continue with --after \(next.text)") }
      try await UnhandledKinds.tell(options, kinds: Set(page.jobs.filter { $0.state == .queued }.map(\.kind)))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a job with its attempts and notes",
      scope: .company,
      discussion: "Example: fettle job show 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Id of the job, or its first 6 or more digits",
      completion: .custom { words, _, _ in await LiveCompletion.jobs(words) }
    )
    var job: String

    func run() async throws {
      let detail = try await options.company.withActingContext { services, acting in
        let administration = JobAdministration(services)
        return try await administration.show(acting, id: try await administration.resolve(acting, job))
      }
      try options.output.printRecord(Self.groups(detail))
    }

    private static func groups(_ detail: JobAdministration.Detail) throws -> [DetailGroup] {
      let job = detail.job
      let attempts = Table(
        columns: [
          Column("attempt", kind: .number), Column("outcome"), Column("started_at", kind: .instant),
          Column("finished_at", kind: .instant), Column("error", kind: .advice),
        ],
        rows: detail.attempts.map { attempt in
          [
            .integer(attempt.attempt), .optional(attempt.outcome?.rawValue), Cell(attempt.startedAt),
            Cell(attempt.finishedAt), .optional(attempt.error),
          ]
        }
      )
      let notes = Table(
        columns: [
          Column("at", kind: .instant), Column("attempt", kind: .number), Column("done", kind: .number),
          Column("text", kind: .advice),
        ],
        rows: detail.notes.map { note in
          [
            Cell(note.at), .integer(note.attempt), note.done.map { .number("\($0)") } ?? .null,
            .optional(note.text),
          ]
        }
      )
      return [
        DetailGroup([
          (Column("id", kind: .id), Cell(job.id)), (Column("company"), .string(job.company)),
          (Column("kind"), .string(job.kind)), (Column("queue"), .string(job.queue)),
          (JobColumns.state, .string(job.state.rawValue)),
          (Column("attempt", kind: .number), .integer(job.attempt)),
          (Column("max_attempts", kind: .number), .integer(job.maxAttempts)),
          (Column("progress", kind: .number), detail.progress.map { .number("\($0)") } ?? .null),
          (Column("payload"), try detail.payload.map { Cell(try $0.value()) } ?? .null),
        ]),
        DetailGroup(
          "times",
          [
            (Column("created_at", kind: .instant), Cell(job.createdAt)),
            (Column("run_at", kind: .instant), Cell(job.runAt)),
            (Column("finished_at", kind: .instant), Cell(job.finishedAt)),
          ]
        ),
        DetailGroup("attempts", Column("attempts"), attempts),
        DetailGroup("notes", Column("notes"), notes),
      ]
    }
  }
}
