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
    abstract: "Jobs: what runs after the fact, and what became of it.",
    discussion: """
      Retry, cancel, discard and snooze take one job by its id, or with --where every job that fits.

      Examples:
        fettle job list --where state=dead
        fettle job retry --where state=dead,kind=solar.push --dry-run
      """,
    subcommands: [
      List.self, Show.self, Watch.self, Enqueue.self, Retry.self, Cancel.self, Discard.self, Snooze.self,
    ],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List jobs, newest first; without --company of all companies.",
      discussion: """
        --where chooses by state, kind and queue. What is queued or has succeeded comes in the order in which it \
        was posted last, what is dead or cancelled in that of its end. What was cancelled before its time, and what \
        ended longer ago than finished jobs are kept, is listed by its state only.

        Examples:
          fettle job list --company acme --where state=dead
          fettle job list --state queued --kind solar.push --limit 200
        """
    )
    @OptionGroup var options: RecordOptions
    @Option(
      help: "Only jobs that are queued, running, retrying, succeeded, dead or cancelled.",
      completion: .list(JobState.allCases.map(\.rawValue))
    )
    var state: String?
    @Option(help: "Only jobs of this kind.", completion: .custom { _, _, _ in await LiveCompletion.kinds() })
    var kind: String?
    @Option(help: "Only jobs of this queue.") var queue: String?
    @Option(help: "How many at most.") var limit = 50
    @Option(help: ArgumentHelp("Go on where a page ended, as it said.", valueName: "place")) var after:
      String?

    func validate() throws {
      guard (1...1_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000") }
    }

    func run() async throws {
      let filter = try options.jobs(state: state, kind: kind, queue: queue)
      let place = try after.map { try JobPlace(parsing: $0) } ?? JobPlace()
      let page: JobPage
      if options.company.isNamed {
        page = try await options.company.withActingContext { services, acting in
          try await JobAdministration(services).list(acting, filter, after: place, limit: limit)
        }
      } else {
        page = try await options.company.connection.withServices {
          try await JobAdministration($0).all(filter, after: place, limit: limit)
        }
      }
      try options.print(page.jobs)
      if let next = page.next { Message.tell("more with --after \(next.text)") }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a job with its attempts and what it told.",
      discussion: "Example: fettle job show 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Its id, or the beginning of it.",
      completion: .custom { words, _, _ in await LiveCompletion.jobs(words) }
    )
    var job: String

    func run() async throws {
      let detail = try await options.company.withActingContext { services, acting in
        let administration = JobAdministration(services)
        return try await administration.show(acting, id: try await administration.resolve(acting, job))
      }
      let attempts = detail.attempts.map { attempt in
        Cell.nested([
          .init("attempt", .integer(attempt.attempt)), .init("outcome", .optional(attempt.outcome)),
          .init("started_at", Cell(attempt.startedAt)), .init("finished_at", Cell(attempt.finishedAt)),
          .init("error", .optional(attempt.error)),
        ])
      }
      let notes = detail.notes.map { note in
        Cell.nested([
          .init("at", Cell(note.at)), .init("attempt", .integer(note.attempt)),
          .init("done", note.done.map { .number("\($0)") } ?? .null), .init("text", .optional(note.text)),
        ])
      }
      try options.output.printRecord([
        (Column("id"), Cell(detail.job.id)), (Column("company"), .string(detail.job.company)),
        (Column("kind"), .string(detail.job.kind)), (Column("queue"), .string(detail.job.queue)),
        (JobColumns.state, .string(detail.job.state)), (Column("run_at"), Cell(detail.job.runAt)),
        (Column("payload"), try detail.payload.map { Cell(try $0.value()) } ?? .null),
        (Column("attempts"), .list(attempts)),
        (Column("progress"), detail.progress.map { .number("\($0)") } ?? .null),
        (Column("notes"), .list(notes)),
      ])
    }
  }
}
