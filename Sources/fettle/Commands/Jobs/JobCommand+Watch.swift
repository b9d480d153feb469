internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Terminal
internal import UnixSignals

extension JobCommand {
  struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Follow a job until it ends",
      scope: .company,
      discussion: """
        Prints a line for each event. Exit code 0 if the job succeeds, 5 if it is dead
        or cancelled, 7 if --timeout expires first. Ctrl-C stops watching; the job
        continues.

        Examples:
          fettle job watch 01a1… --company acme
          fettle job watch 01a1… -c acme --timeout 10m --output jsonl
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Id of the job, or its first 6 or more digits",
      completion: .custom { words, _, _ in await LiveCompletion.jobs(words) }
    )
    var job: String
    @Option(help: ArgumentHelp("Maximum time to watch: 30s, 15m, 2h", valueName: "time"))
    var timeout: TimeSpan?

    func validate() throws {
      guard options.output.isPlain else {
        throw ValidationError("--where, --sort and --columns do not apply to a live stream")
      }
    }

    func run() async throws {
      let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
      let end = try await options.company.withActingContext { services, acting in
        let administration = JobAdministration(services)
        let id = try await administration.resolve(acting, job)
        return try await withThrowingTaskGroup(of: JobAdministration.Detail?.self) { tasks in
          tasks.addTask { try await follow(administration, acting, id) }
          tasks.addTask {
            for await _ in signals { break }
            return nil
          }
          defer { tasks.cancelAll() }
          return try await tasks.next() ?? nil
        }
      }
      guard let end else {
        Message.tell("the job continues; watch it again with `fettle job watch \(job)`")
        throw CancellationError()
      }
      guard end.job.state != .succeeded else { return }
      let reason = end.attempts.last?.error.map { ": \($0)" } ?? ""
      throw DomainError(
        .wrongState,
        "the job is \(end.job.state.rawValue) after \(end.job.attempt) of \(end.job.maxAttempts) attempts\(reason)",
        hint: "retry it with `fettle job retry \(end.job.id.text) --company \(end.job.company)`"
      )
    }

    /// Prints events until the job has ended, and returns the job.
    ///
    /// - Throws: `timed_out` if the job has not ended before the timeout.
    private func follow(_ administration: JobAdministration, _ acting: ActingContext, _ id: UUID) async throws
      -> JobAdministration.Detail
    {
      let deadline = timeout.map { ContinuousClock.now + $0.duration }
      var watch = JobWatch()
      var lines = EventLines(options.output.output)
      while true {
        let detail = try await administration.show(acting, id: id, notes: 1_000)
        for event in watch.events(detail) { try lines.write(event, of: detail.job) }
        if detail.isOver {
          try lines.finish()
          return detail
        }
        if let deadline, ContinuousClock.now >= deadline {
          try lines.finish()
          throw DomainError(
            .timedOut,
            "the job is still \(detail.job.state.rawValue)",
            hint: "see its state with `fettle job show \(id.text)`"
          )
        }
        try await Task.sleep(for: .milliseconds(500))
      }
    }
  }
}

/// Prints the events of a job as they happen: lines for people, records for programs.
private struct EventLines {
  private let format: OutputFormat
  private var encoder: RowEncoder?
  private var hasBegun = false

  init(_ format: OutputFormat) {
    self.format = format
    guard format != .table else { return }
    let columns = [Column("at", kind: .instant), JobColumns.state, Column("attempt", kind: .number)]
    encoder = RowEncoder(
      format: format,
      columns: columns + [Column("done", kind: .number), Column("text")],
      on: .output
    )
  }

  mutating func write(_ event: JobWatch.Event, of job: JobRow) throws {
    guard var encoder else { return try send(Self.line(event, of: job)) }
    let text = encoder.encode([
      Cell(event.at), .string(event.state), .integer(event.attempt),
      event.done.map { .number("\($0)") } ?? .null, .optional(event.text),
    ])
    try send((hasBegun ? "" : encoder.begin()) + text)
    hasBegun = true
    self.encoder = encoder
  }

  mutating func finish() throws {
    guard let encoder else { return }
    try send((hasBegun ? "" : encoder.begin()) + encoder.end())
  }

  private static func line(_ event: JobWatch.Event, of job: JobRow) -> String {
    let at = event.at.map { MomentText.text($0.rfc3339, by: CompanyClock.current) } ?? "-"
    var parts = [at, event.state]
    if let done = event.done { parts.append("\(Int(clamping: (done * 100).rounded())) %") }
    if event.done == nil, event.text == nil || event.state != "running" {
      parts.append("(attempt \(event.attempt) of \(job.maxAttempts))")
    }
    if let text = event.text { parts.append(DisplayText.neutralized(text)) }
    return parts.joined(separator: "  ") + "\n"
  }

  /// Writes text without buffering, because people and programs wait for each event.
  private func send(_ text: String) throws {
    var out = BufferedOutput()
    try out.write(text)
    try out.flush()
  }
}

extension LiveCompletion {
  /// Returns the ids of the newest jobs of the company on the command line.
  static func jobs(_ words: [String]) async -> [String] {
    await inCompany(of: words) { services, acting in
      try await JobAdministration(services).list(acting, JobFilter(), limit: 50).jobs.map(\.id.text)
    }
  }
}
