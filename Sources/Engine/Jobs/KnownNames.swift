internal import Domain
internal import Postgres
internal import Store

/// The names of events, job kinds and queues that an installation knows, to check user input.
package struct KnownNames: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// The job kinds of the engine. Those of apps are in their manifests.
  package static let engineKinds = [
    "comment.tell", "demo.refresh", "history.seal", "mail.digest", "mail.send", "notify.send",
    "watchers.tell", "webhook.deliver", "file.prepare", "file.purge", "sync.trim",
  ]

  /// Returns the events that webhooks can receive: those of the transitions in installed workflows, those of
  /// every record type, and the test event.
  package func events() async throws -> [String] {
    let sent = try await services.database.rows(
      """
      select distinct e #>> '{}'
      from core.workflow_definition w
      cross join lateral jsonb_path_query(w.body, 'strict $.**.webhook.event') e
      order by 1
      """,
      String.self
    )
    let types = try await services.catalogue.refresh(services.database).0.types
    let changes = Set(types.flatMap(RecordEvent.subscriptions))
    return (Set(sent).union(changes)).sorted() + [WebhookDelivery.testEvent]
  }

  /// Returns the job kinds of the engine, of the installed apps, and of earlier jobs.
  package func kinds() async throws -> [String] {
    let apps = try await InstalledApps(services).manifests().flatMap(\.jobs)
    let enqueued = try await JobCounts.read(company: nil, services.database).lines.map(\.kind)
    return Set(Self.engineKinds + apps + enqueued).sorted()
  }

  /// Returns the queues that have jobs, workers, pauses or limits, and `default`.
  package func queues() async throws -> [String] {
    let enqueued = try await JobCounts.read(company: nil, services.database).lines.map(\.queue)
    let others = try await services.database.transaction { tx in
      try tx.rows("select distinct q from core.worker w cross join lateral unnest(w.queues) q", String.self)
        + QueueRule.all(tx).compactMap(\.queue)
    }
    return Set(["default"] + enqueued + others).sorted()
  }

  /// Requires an event that webhooks can receive.
  ///
  /// - Throws: `invalid_input` with the closest event as a hint.
  package func require(event: String) async throws {
    try Self.require(event, among: try await events(), "event", list: "fettle workflow show TYPE")
  }

  /// Requires a known job kind; the hint says how to run another one.
  ///
  /// - Throws: `unknown_job_kind`.
  package func requireRunnable(kind: String) async throws {
    do {
      try await require(kind: kind)
    } catch let error as DomainError where error.code == .unknownJobKind {
      throw DomainError(
        error.code,
        error.message,
        hint: "\(error.hint); add --new-kind if a worker runs it with --handler"
      )
    }
  }

  /// Requires a known job kind.
  ///
  /// - Throws: `unknown_job_kind` with the closest kind as a hint.
  package func require(kind: String) async throws {
    let known = try await kinds()
    try Self.require(kind, among: known, "kind of job", code: .unknownJobKind, list: "fettle queue stats")
  }

  /// Requires a known queue.
  ///
  /// - Throws: `invalid_input` with the closest queue as a hint.
  package func require(queue: String) async throws {
    try Self.require(queue, among: try await queues(), "queue", list: "fettle queue stats")
  }

  /// Requires that the queue of a pause or limit exists, and that its kind exists or already has a rule.
  ///
  /// - Parameter isCommand: true if `--new-kind` accepts another kind.
  /// - Throws: `invalid_input` or `unknown_job_kind`, with the closest name as a hint.
  package func requireRule(queue: String?, kind: String?, isCommand: Bool = false) async throws {
    if let queue { try await require(queue: queue) }
    guard let kind else { return }
    let rules = try await QueueAdministration(services).rules().compactMap(\.kind)
    guard !rules.contains(kind) else { return }
    if isCommand { try await requireRunnable(kind: kind) } else { try await require(kind: kind) }
  }

  private static func require(
    _ name: String,
    among known: [String],
    _ noun: String,
    code: ErrorCode = .invalidInput,
    list command: String
  ) throws {
    guard !known.contains(name) else { return }
    let hint: String
    if let closest = Suggestion.closest(to: name, among: known) {
      hint = "did you mean \(closest)?"
    } else if known.isEmpty {
      hint = "create one first"
    } else {
      hint =
        known.count <= 12 ? "use one of: \(known.joined(separator: ", "))" : "list them with `\(command)`"
    }
    throw DomainError(code, "there is no \(noun) \(Quoted(name))", hint: hint)
  }
}
