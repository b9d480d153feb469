internal import Domain
internal import Postgres
internal import Store

/// The names of events, kinds of job and queues that an installation knows, to check user input.
package struct KnownNames: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// The kinds of job that belong to the engine itself; those of apps are in their manifests.
  package static let engineKinds = [
    "comment.tell", "demo.refresh", "history.seal", "notify.send", "watchers.tell", "webhook.deliver",
  ]

  /// The events that webhooks can be sent: those of transitions of the installed workflows, and that of a test.
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
    return sent + [WebhookDelivery.testEvent]
  }

  /// The kinds of job: of the engine, of the installed apps, and those that were enqueued before.
  package func kinds() async throws -> [String] {
    let apps = try await InstalledApps(services).manifests().flatMap(\.jobs)
    let enqueued = try await JobCounts.read(company: nil, services.database).lines.map(\.kind)
    return Set(Self.engineKinds + apps + enqueued).sorted()
  }

  /// The queues: those with jobs, those of workers, those with a rule, and `default`.
  package func queues() async throws -> [String] {
    let enqueued = try await JobCounts.read(company: nil, services.database).lines.map(\.queue)
    let others = try await services.database.transaction { tx in
      try tx.rows("select distinct q from core.worker w cross join lateral unnest(w.queues) q", String.self)
        + QueueRule.all(tx).compactMap(\.queue)
    }
    return Set(["default"] + enqueued + others).sorted()
  }

  /// Requires an event that some transition sends.
  ///
  /// - Throws: `invalid_input` with the closest event as a hint.
  package func require(event: String) async throws {
    try Self.require(event, among: try await events(), "event", list: "fettle workflow show TYPE")
  }

  /// Requires a kind of job that there is.
  ///
  /// - Throws: `unknown_job_kind` with the closest kind as a hint.
  package func require(kind: String) async throws {
    let known = try await kinds()
    try Self.require(kind, among: known, "kind of job", code: .unknownJobKind, list: "fettle queue stats")
  }

  /// Requires a queue that there is.
  ///
  /// - Throws: `invalid_input` with the closest queue as a hint.
  package func require(queue: String) async throws {
    try Self.require(queue, among: try await queues(), "queue", list: "fettle queue stats")
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
      hint = "there is none yet"
    } else {
      hint = known.count <= 12 ? "there are: \(known.joined(separator: ", "))" : "`\(command)` shows them"
    }
    throw DomainError(code, "there is no \(noun) \(Quoted(name))", hint: hint)
  }
}
