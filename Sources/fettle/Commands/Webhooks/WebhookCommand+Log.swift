internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Terminal

extension WebhookCommand {
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deliver a test event and print the result",
      scope: .company,
      discussion: """
        A worker delivers the event webhook.test, without retries. The command waits
        for the result.

        Example: fettle webhook test 01a1… --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Id of the webhook, its beginning, or the URL") var id: String
    @Option(help: ArgumentHelp("Seconds to wait for the result, 0 to 600", valueName: "seconds"))
    var wait = 30

    func validate() throws {
      guard (0...600).contains(wait) else { throw ValidationError("--wait is 0 to 600") }
    }

    func run() async throws {
      try await options.company.withActingContext { services, acting in
        let webhooks = WebhookAdministration(services)
        let hook = try await webhooks.id(named: id, acting)
        let job = try await webhooks.test(acting, id: hook)
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: .seconds(wait))
        var attempt = try await webhooks.attempts(acting, job: job).last
        while attempt == nil, clock.now < deadline {
          try await clock.sleep(for: .milliseconds(200))
          attempt = try await webhooks.attempts(acting, job: job).last
        }
        guard let attempt else {
          throw DomainError(
            .timedOut,
            "no worker delivered the test within \(wait) s",
            hint: "start a worker with `fettle work`; `fettle webhook deliveries` shows the result later"
          )
        }
        guard attempt.outcome == .delivered else {
          throw DomainError(
            .unavailable,
            "the test was not delivered: \(attempt.reason ?? "no response")",
            hint: "see the attempts with `fettle webhook deliveries`"
          )
        }
        try options.output.report(
          "delivered webhook.test in \(attempt.milliseconds) ms (HTTP \(attempt.status ?? 0))",
          DeliveryTable.fields(attempt)
        )
      }
    }
  }

  struct Deliveries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List delivery attempts, newest first",
      scope: .company,
      discussion: """
        Attempts are kept for 30 days. To deliver an event again, pass the id of an
        attempt to `fettle webhook redeliver`.

        Examples:
          fettle webhook deliveries --company acme
          fettle webhook deliveries 01a1… --failed --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Id of a webhook, its beginning, or the URL (default: all)") var id: String?
    @Flag(help: "Only failed attempts") var failed = false
    @Option(help: "Maximum number of rows") var limit = 50

    func validate() throws {
      guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 to 100000") }
    }

    func run() async throws {
      let attempts = try await options.company.withActingContext { services, acting in
        let webhooks = WebhookAdministration(services)
        var hook: UUID?
        if let id { hook = try await webhooks.id(named: id, acting) }
        return try await webhooks.deliveries(acting, of: hook, failed: failed, limit: limit)
      }
      try options.output.print(DeliveryTable.table(attempts))
    }
  }

  struct Redeliver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deliver an event again",
      scope: .company,
      discussion: """
        A worker sends the event to the webhook's current URL, with the idempotency key
        of the first delivery, so that the receiver can drop duplicates. With --failed,
        all events whose last attempt failed, at most 1,000 at a time; those that a
        worker would repeat later are delivered at once, and an open circuit closes.

        Examples:
          fettle webhook redeliver 01b2… --company acme
          fettle webhook redeliver --failed --since 2d --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Id of an attempt, as listed by `fettle webhook deliveries`") var id: String?
    @Flag(help: "All events that were not delivered") var failed = false
    @Option(help: ArgumentHelp("Age of the oldest failure: 12h, 2d (default: 2d)", valueName: "time"))
    var since: TimeSpan?
    @Option(help: "Events of one webhook: its id, its beginning, or the URL") var webhook: String?
    @OptionGroup var key: AdministrationOptions

    func validate() throws {
      guard !failed || key.key.idempotencyKey == nil else {
        throw ValidationError("--idempotency-key requires a single attempt")
      }
      guard (id == nil) == failed else { throw ValidationError("name an attempt, or add --failed") }
      guard failed || (since == nil && webhook == nil) else {
        throw ValidationError("--since and --webhook require --failed")
      }
    }

    func run() async throws {
      guard let id else { return try await redeliverFailed() }
      let attempt = try AttemptID.parse(id)
      try await key.change(options.company, options.output) { services, acting in
        let job = try await WebhookAdministration(services).redeliver(acting, attempt: attempt)
        return ChangeReport("enqueued the delivery again as job \(job.text)", [(Column("job"), Cell(job))])
      }
    }

    private func redeliverFailed() async throws {
      let span = since?.duration ?? .seconds(2 * 86_400)
      let count = try await options.company.withActingContext { services, acting in
        let webhooks = WebhookAdministration(services)
        var hook: UUID?
        if let webhook { hook = try await webhooks.id(named: webhook, acting) }
        let since = try await JobAdministration(services).moment(after: .zero - span)
        return try await webhooks.redeliverFailed(acting, of: hook, since: since)
      }
      let isFull = count >= WebhookAdministration.mostRedeliveries
      try options.output.report(
        "enqueued \(count) \(count == 1 ? "event" : "events") again"
          + (isFull ? "; repeat the command for the others" : ""),
        [(Column("events", kind: .number), .integer(count)), (Column("complete"), .bool(!isFull))]
      )
    }
  }
}

/// Parses ids of attempts.
enum AttemptID {
  /// Returns the id that a text contains.
  ///
  /// - Throws: `invalid_id` for text that is not a UUID.
  static func parse(_ text: String) throws -> UUID {
    guard let id = UUID(text: text) else {
      throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
    }
    return id
  }
}

/// Formats the delivery log as a table.
enum DeliveryTable {
  static func table(_ attempts: [WebhookAttempt]) -> Table {
    Table(columns: columns.map(\.0), rows: attempts.map { attempt in columns.map { $0.1(attempt) } })
  }

  static func fields(_ attempt: WebhookAttempt) -> [(Column, Cell)] { columns.map { ($0.0, $0.1(attempt)) } }

  private static var columns: [(Column, (WebhookAttempt) -> Cell)] {
    [
      (Column("at", kind: .instant), { Cell($0.at) }),
      (Column("event"), { .string($0.event) }),
      (Column("outcome"), { .optional($0.outcome?.rawValue) }),
      (Column("status", kind: .number), { $0.status.map { .integer(Int64($0)) } ?? .null }),
      (Column("attempt", kind: .number), { .integer(Int64($0.attempt)) }),
      (Column("ms", kind: .number), { .integer(Int64($0.milliseconds)) }),
      (Column("reason"), { .optional($0.reason) }),
      (Column("record_type"), { .optional($0.recordType) }),
      (Column("record_id"), { $0.recordID.map { Cell($0) } ?? .null }),
      (Column("webhook"), { Cell($0.webhook) }),
      (Column("answer"), { .optional($0.answer) }),
      (Column("id"), { Cell($0.id) }),
    ]
  }
}
