internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

/// The arguments of commands that set queue rules: a queue, a kind, both, or everything.
struct QueuePart: ParsableArguments {
  @OptionGroup var options: RecordOptions
  @Argument(
    help: "Queue (default: any)",
    completion: .custom { _, _, _ in await LiveCompletion.queues() }
  )
  var queue: String?
  @Option(
    help: "Kind of the jobs (default: any)",
    completion: .custom { _, _, _ in await LiveCompletion.kinds() }
  )
  var kind: String?
  @Flag(help: "Accept a kind that no app declares, before its first job") var newKind = false
  @Flag(help: "Every queue and kind") var all = false

  func validate() throws {
    guard all == (queue == nil && kind == nil) else {
      throw ValidationError(
        all ? "--all cannot be combined with a queue or --kind" : "add a queue, --kind or --all"
      )
    }
  }

  private func requireNames(_ services: Services) async throws {
    try await KnownNames(services).requireRule(queue: queue, kind: newKind ? nil : kind, isCommand: true)
  }

  /// Runs a body in the acting context of the named company and prints the change. Without a company, the
  /// acting context is that of the system company, and the change applies to all companies.
  func change(
    _ done: String,
    _ facts: [(Terminal.Column, Cell)],
    _ body: (QueueAdministration, ActingContext) async throws -> Void
  ) async throws {
    let slug: String
    if options.company.isNamed {
      slug = try await options.company.withActingContext { services, acting in
        try await requireNames(services)
        try await body(QueueAdministration(services), acting)
        return acting.company.slug
      }
    } else {
      slug = try await options.company.connection.withServices { services in
        try await requireNames(services)
        let acting = try await ActingContexts(services).take(
          company: "system",
          operatorName: Operator.name,
          as: nil
        )
        try await body(QueueAdministration(services), acting)
        return acting.company.slug
      }
    }
    try options.output.report(
      "\(done) \(QueueRule.words(company: slug, queue: queue, kind: kind))",
      [
        (Column("company"), .string(slug == "system" ? "all" : slug)), (Column("queue"), .optional(queue)),
        (Column("kind"), .optional(kind)),
      ] + facts
    )
  }
}

extension QueueCommand {
  struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Pause a queue or a kind; running jobs continue",
      scope: .companyOrAll,
      discussion: """
        Without --company, pauses the jobs of all companies.

        Examples:
          fettle queue pause push --reason "the utility is down"
          fettle queue pause --kind webhook.deliver --company acme
        """
    )
    @OptionGroup var part: QueuePart
    @Option(help: "Reason, shown to other operators") var reason: String?

    func run() async throws {
      try await part.change("paused", [(Column("state"), "paused")]) {
        try await $0.pause($1, queue: part.queue, kind: part.kind, reason: reason)
      }
    }
  }

  struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Resume a paused queue or kind",
      scope: .companyOrAll,
      discussion: "Example: fettle queue resume --kind webhook.deliver --company acme"
    )
    @OptionGroup var part: QueuePart

    func run() async throws {
      try await part.change("resumed", [(Column("state"), "active")]) {
        try await $0.resume($1, queue: part.queue, kind: part.kind)
      }
    }
  }

  struct Limit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Limit concurrent jobs, or their rate",
      scope: .companyOrAll,
      discussion: """
        A rate of 100/minute allows 100 starts at once, then 100 a minute at equal
        intervals. Without --company, a limit applies to all companies together;
        --each-company applies it to each company separately.

        Examples:
          fettle queue limit --kind solar.push --running 4 --rate 100/minute
          fettle queue limit --all --running 8 --each-company
          fettle queue limit --kind solar.push --none
        """
    )
    @OptionGroup var part: QueuePart
    @Option(help: ArgumentHelp("Maximum number of running jobs", valueName: "n")) var running: Int?
    @Option(help: ArgumentHelp("Rate of starts: 100/minute, 5/s, 1000/1d", valueName: "n/time")) var rate:
      RateArgument?
    @Flag(help: "Apply the limit to each company separately") var eachCompany = false
    @Flag(help: "Remove the limit") var none = false

    func validate() throws {
      guard none == (running == nil && rate == nil) else {
        throw ValidationError("add --running or --rate, or --none to remove the limit")
      }
      if let running, !(1...1_000_000).contains(running) {
        throw ValidationError("--running is 1 to 1000000")
      }
      if eachCompany, part.options.company.isNamed {
        throw ValidationError("--each-company and --company cannot be combined")
      }
    }

    func run() async throws {
      try await part.change(
        none ? "removed the limit of" : "limited",
        [
          (Column("running"), running.map { .integer($0) } ?? .null),
          (Column("rate"), .optional(rate.map { "\($0.count)/\($0.period.components.seconds)s" })),
        ]
      ) {
        try await $0.limit(
          $1,
          queue: part.queue,
          kind: part.kind,
          forEach: eachCompany,
          maxRunning: running,
          rate: rate.map { JobRules.Limit.Rate(count: $0.count, period: $0.period) }
        )
      }
    }
  }
}
