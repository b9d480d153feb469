internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Terminal

extension JobCommand {
  struct Enqueue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enqueue a job",
      scope: .company,
      discussion: """
        With --key, the job is refused if an open job of the same kind has the same key.

        Examples:
          fettle job enqueue history.seal --company acme
          fettle job enqueue plan.generate --payload '{"trip":"T-4"}' --in 15m -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Kind of the job, such as history.seal",
      completion: .custom { _, _, _ in await LiveCompletion.kinds() }
    )
    var kind: String
    @Option(help: ArgumentHelp("Payload, a JSON object", valueName: "json")) var payload = "{}"
    @Option(
      help: "Name of the queue",
      completion: .custom { _, _, _ in await LiveCompletion.queues() }
    )
    var queue = "default"
    @Flag(help: "Accept a kind that no app declares, for a worker with --handler") var newKind = false
    @Option(help: "Priority: 1 urgent, 2 normal, 3 low, 4 idle") var priority = 2
    @Option(help: "Maximum number of attempts") var maxAttempts = 5
    @Option(
      name: .customLong("in"),
      help: ArgumentHelp("Delay before the job runs: 30s, 15m, 2h, 1d", valueName: "time")
    )
    var delay: TimeSpan?
    @Option(help: ArgumentHelp("Earliest time at which the job runs", valueName: "instant")) var at: String?
    @Option(help: ArgumentHelp("Unique key among open jobs of the kind", valueName: "key")) var key: String?
    @OptionGroup var once: AdministrationOptions

    func validate() throws {
      guard (1...4).contains(priority) else { throw ValidationError("--priority is 1 to 4") }
      guard (1...1_000).contains(maxAttempts) else { throw ValidationError("--max-attempts is 1 to 1000") }
      guard delay == nil || at == nil else { throw ValidationError("--in and --at cannot be combined") }
    }

    func run() async throws {
      guard case .object = try JSONValue(parsing: payload) else {
        throw DomainError(
          .invalidInput,
          "the payload is not a JSON object",
          hint: #"write --payload '{"id":"…"}'"#
        )
      }
      let moment = try at.map { try Instant(parsing: $0) }
      let id = try await options.company.withActingContext { services, acting in
        let administration = JobAdministration(services)
        if !newKind { try await KnownNames(services).requireRunnable(kind: kind) }
        var runAt = moment
        if let delay { runAt = try await administration.moment(after: delay.duration) }
        let start = runAt
        let request: [String?] = [
          "job", kind, queue, "\(priority)", at, delay.map { "\($0)" }, "\(maxAttempts)", payload, key,
        ]
        return try await once.once(services, acting, request) {
          try await administration.enqueue(
            acting,
            kind: kind,
            queue: queue,
            priority: priority,
            runAt: start,
            maxAttempts: maxAttempts,
            payload: JSON(text: payload),
            uniqueKey: key
          )
        }
      }
      try options.output.report(
        "enqueued \(kind) as job \(id.text)",
        [(Column("id", kind: .id), Cell(id)), (Column("kind"), .string(kind)), (Column("state"), "queued")]
      )
    }
  }
}

extension LiveCompletion {
  /// Returns the known job kinds.
  static func kinds() async -> [String] { await asking { try await KnownNames($0).kinds() } }

  /// Returns the known queues.
  static func queues() async -> [String] { await asking { try await KnownNames($0).queues() } }

  /// Returns the events of webhooks.
  static func events() async -> [String] { await asking { try await KnownNames($0).events() } }
}
