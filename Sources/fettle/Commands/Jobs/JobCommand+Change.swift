internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Terminal

/// The arguments of commands that change jobs: one job by id, or all jobs that match `--where`.
struct JobChangeOptions: ParsableArguments {
  @OptionGroup var options: RecordOptions
  @Argument(help: "Id of a job, or its first 6 or more digits; or use --where") var job: String?
  @Flag(help: "Count the jobs that match --where and list the first ones") var dryRun = false
  @OptionGroup var key: KeyOption

  func validate() throws {
    try options.requireOne(job, "job")
    if job != nil, dryRun { throw ValidationError("--dry-run requires --where") }
    if job == nil, key.idempotencyKey != nil {
      throw ValidationError("--idempotency-key requires a single job")
    }
  }

  /// Applies an action to the selected jobs and reports the result.
  ///
  /// - Parameters:
  ///   - action: returns the action, which may depend on the database's clock.
  ///   - state: the word for the new state in the report of one job.
  func run(_ action: (JobAdministration) async throws -> JobAction, becomes state: String) async throws {
    guard let job else { return try await runAll(action) }
    try await key.change(options.company, options.output) { services, acting in
      let administration = JobAdministration(services)
      let id = try await administration.resolve(acting, job)
      try await administration.perform(try await action(administration), acting, id: id)
      return ChangeReport(
        Self.sentence(state, job),
        [
          (Column("id", kind: .id), Cell(id)),
          (Column("state"), .string(state == "due" ? JobState.queued.rawValue : state)),
        ]
      )
    }
  }

  private static func sentence(_ state: String, _ job: String) -> String {
    switch state {
    case "retrying": "queued job \(job) again"
    case "due": "job \(job) runs as soon as a worker is free"
    case "queued": "snoozed job \(job)"
    default: "\(state) job \(job)"
    }
  }

  private func runAll(_ action: (JobAdministration) async throws -> JobAction) async throws {
    let filter = try await options.checked(try options.jobs())
    if options.company.isNamed {
      try await options.company.withActingContext { try await performAll(action, filter, $0, $1) }
    } else {
      try await options.company.connection.withServices { try await performAll(action, filter, $0, nil) }
    }
  }

  private func performAll(
    _ action: (JobAdministration) async throws -> JobAction,
    _ filter: JobFilter,
    _ services: Services,
    _ acting: ActingContext?
  ) async throws {
    let administration = JobAdministration(services)
    let contexts = ActingContexts(services)
    let action = try await action(administration)
    let bar = ProgressBar(action.name, unit: "jobs", total: nil, on: .errors)
    defer { bar.finish() }
    let bulk = try await administration.performAll(
      action,
      where: filter,
      company: acting,
      contexts: { try await contexts.take(company: $0.company, operatorName: Operator.name, as: nil) },
      dryRun: dryRun,
      progress: { bar.advance(to: $0) }
    )
    bar.finish()
    try tell(action, bulk)
  }

  private func tell(_ action: JobAction, _ bulk: JobBulk) throws {
    if options.output.output == .table {
      if dryRun || !bulk.refusals.isEmpty {
        try options.print(dryRun ? bulk.first : bulk.refusals.map(\.job))
      }
      let refused =
        bulk.refusals.isEmpty ? "" : ", \(bulk.refusals.count) refused: \(bulk.refusals[0].reason)"
      Message.tell("\(dryRun ? "would be " : "")\(action.done): \(bulk.done)\(refused)")
    } else {
      try options.output.report(
        "",
        [
          (Column("action"), .string(action.name)), (Column("dry_run"), .bool(dryRun)),
          (Column("done"), .integer(bulk.done)), (Column("refused"), .integer(bulk.refusals.count)),
          (Column("first"), .list(bulk.first.map { Cell($0.id) })),
        ]
      )
    }
    guard bulk.done == 0, let first = bulk.refusals.first else { return }
    throw DomainError(
      first.code,
      "all \(bulk.refusals.count) jobs were refused; first reason: \(first.reason)",
      hint: "see the first job with `fettle job show \(first.job.id.text) --company \(first.job.company)`"
    )
  }
}

extension JobCommand {
  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Retry dead, cancelled or retrying jobs now",
      scope: .companyOrAll,
      discussion: """
        A job without attempts left gets one more.

        Examples:
          fettle job retry 01a1… --company acme
          fettle job retry --where state=dead,kind=solar.push --dry-run
        """
    )
    @OptionGroup var change: JobChangeOptions
    func run() async throws { try await change.run({ _ in .retry }, becomes: "retrying") }
  }

  struct RunNow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run-now",
      abstract: "Run scheduled or retrying jobs now",
      scope: .companyOrAll,
      discussion: """
        Examples:
          fettle job run-now 01a1… --company acme
          fettle job run-now --where state=queued,kind=history.seal
        """
    )
    @OptionGroup var change: JobChangeOptions
    func run() async throws { try await change.run({ _ in .runNow }, becomes: "due") }
  }

  struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Cancel waiting jobs, or ask running ones to stop",
      scope: .companyOrAll,
      discussion: """
        Examples:
          fettle job cancel 01a1… --company acme
          fettle job cancel --where state=queued,kind=webhook.deliver --company acme
        """
    )
    @OptionGroup var change: JobChangeOptions
    func run() async throws { try await change.run({ _ in .cancel }, becomes: "cancelled") }
  }

  struct Discard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Dismiss dead jobs",
      scope: .companyOrAll,
      discussion: """
        Dismissed jobs count as cancelled.

        Examples:
          fettle job discard 01a1… --company acme
          fettle job discard --where state=dead,kind=webhook.deliver --dry-run
        """
    )
    @OptionGroup var change: JobChangeOptions
    func run() async throws { try await change.run({ _ in .discard }, becomes: "discarded") }
  }

  struct Snooze: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Postpone waiting jobs",
      scope: .companyOrAll,
      discussion: """
        Examples:
          fettle job snooze 01a1… --for 2h --company acme
          fettle job snooze --where state=retrying --until 2027-01-04T06:00:00Z
        """
    )
    @OptionGroup var change: JobChangeOptions
    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("Time from now: 30s, 15m, 2h, 1d", valueName: "time")
    )
    var time: TimeSpan?
    @Option(help: ArgumentHelp("Time before which the jobs do not run", valueName: "instant"))
    var until: String?

    func validate() throws {
      guard (time == nil) != (until == nil) else { throw ValidationError("add --for or --until, not both") }
    }

    func run() async throws {
      let moment = try until.map { try Instant(parsing: $0) }
      try await change.run(
        { administration in
          if let moment { return .snooze(until: moment) }
          return .snooze(until: try await administration.moment(after: time?.duration ?? .zero))
        },
        becomes: "queued"
      )
    }
  }
}
