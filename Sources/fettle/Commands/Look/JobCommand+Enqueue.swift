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
      abstract: "Enqueue a job by hand.",
      discussion: """
        With --key a second one is refused while one of the kind with the key is open.

        Examples:
          fettle job enqueue history.seal --company acme
          fettle job enqueue plan.generate --payload '{"trip":"T-4"}' --in 15m -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Its kind, such as history.seal.",
      completion: .custom { _, _, _ in await LiveCompletion.kinds() }
    )
    var kind: String
    @Option(help: ArgumentHelp("What it is about; an object.", valueName: "json")) var payload = "{}"
    @Option(help: "Which workers take it.") var queue = "default"
    @Option(help: "1 urgent, 2 normal, 3 low, 4 when idle.") var priority = 2
    @Option(help: "After so many failures it is dead.") var maxAttempts = 5
    @Option(
      name: .customLong("in"),
      help: ArgumentHelp("Not before so long from now: 30s, 15m, 2h, 1d.", valueName: "time")
    )
    var delay: TimeSpan?
    @Option(help: ArgumentHelp("Not before then.", valueName: "instant")) var at: String?
    @Option(help: ArgumentHelp("At most one open job of the kind has it.", valueName: "key")) var key: String?

    func validate() throws {
      guard (1...4).contains(priority) else { throw ValidationError("--priority is 1 to 4") }
      guard (1...1_000).contains(maxAttempts) else { throw ValidationError("--max-attempts is 1 to 1000") }
      guard delay == nil || at == nil else { throw ValidationError("--in and --at exclude each other") }
    }

    func run() async throws {
      guard case .object = try? JSONValue(parsing: payload) else {
        throw DomainError(
          .invalidInput,
          "the payload is no JSON object",
          hint: #"write --payload '{"id":"…"}'"#
        )
      }
      let moment = try at.map { Timestamp(microseconds: try Instant(parsing: $0).microseconds) }
      let id = try await options.company.withActingContext { services, acting in
        let administration = JobAdministration(services)
        var runAt = moment
        if let delay { runAt = try await administration.moment(after: delay.duration) }
        return try await administration.enqueue(
          acting,
          kind: kind,
          queue: queue,
          priority: priority,
          runAt: runAt,
          maxAttempts: maxAttempts,
          payload: JSON(text: payload),
          uniqueKey: key
        )
      }
      try options.output.report(
        "enqueued \(kind) as job \(id.text)",
        [(Column("id"), Cell(id)), (Column("kind"), .string(kind)), (Column("state"), "queued")]
      )
    }
  }
}

extension LiveCompletion {
  /// The kinds of jobs that there are or were lately.
  static func kinds() async -> [String] {
    await asking { services in
      Array(Set(try await QueueAdministration(services).counts(nil).lines.map(\.kind))).sorted()
    }
  }
}
