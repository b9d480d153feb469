internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The use cases of the queue's statistics, pauses and limits.
package struct QueueAdministration: Sendable {
  private let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the job counts per queue and kind: of a company, or without an acting context of all companies.
  package func counts(_ acting: ActingContext?) async throws -> JobCounts {
    if let acting { try await administration.read(acting, permission: "job.read") { _, _ in } }
    return try await JobCounts.read(company: acting?.company.id, services.database)
  }

  /// Returns the pauses and limits of all companies. Operators only.
  package func rules() async throws -> [QueueRule] {
    try await services.database.transaction { tx in try QueueRule.all(tx) }
  }

  /// Pauses jobs that no worker has claimed yet. Requires `job.cancel`.
  ///
  /// - Parameters:
  ///   - acting: the company; the system company pauses jobs of all companies.
  ///   - queue: the queue; nil for all queues.
  ///   - kind: the job kind; nil for all kinds.
  /// - Throws: `already_exists` if the same pause exists.
  package func pause(_ acting: ActingContext, queue: String?, kind: String?, reason: String?) async throws {
    let what = QueueRule.words(company: acting.company.slug, queue: queue, kind: kind)
    try await change(acting, "queue.paused", what) { tx in
      let isNew = try tx.value(
        """
        select core.pause_jobs(\(acting.company.id), \(nullable: queue)::text, \(nullable: kind)::text,
          \(nullable: reason)::text, \(acting.actor.name ?? acting.actor.kind.rawValue))
        """,
        as: Bool.self
      )
      guard isNew else {
        throw DomainError(
          .alreadyExists,
          "\(what) is paused already",
          hint: "list pauses with `fettle queue list`"
        )
      }
    }
  }

  /// Removes a pause. The company, queue and kind must equal those of the pause.
  ///
  /// - Throws: `not_found` if there is no such pause.
  package func resume(_ acting: ActingContext, queue: String?, kind: String?) async throws {
    let what = QueueRule.words(company: acting.company.slug, queue: queue, kind: kind)
    try await change(acting, "queue.resumed", what) { tx in
      let wasPaused = try tx.value(
        "select core.resume_jobs(\(acting.company.id), \(nullable: queue)::text, \(nullable: kind)::text)",
        as: Bool.self
      )
      guard wasPaused else {
        throw DomainError(.notFound, "\(what) is not paused", hint: "list pauses with `fettle queue list`")
      }
    }
    await JobNotifier(services.database).notify()
  }

  /// Sets the limit for a company, queue and kind, replacing an existing limit. If `maxRunning` and `rate`
  /// are nil, removes the limit.
  ///
  /// - Throws: `not_found` if there is no limit to remove.
  package func limit(
    _ acting: ActingContext,
    queue: String?,
    kind: String?,
    forEach: Bool,
    maxRunning: Int?,
    rate: JobRules.Limit.Rate?
  ) async throws {
    let what = QueueRule.words(company: acting.company.slug, queue: queue, kind: kind)
    let isSet = maxRunning != nil || rate != nil
    try await change(acting, isSet ? "queue.limited" : "queue.unlimited", what) { tx in
      guard isSet else {
        let wasLimited = try tx.value(
          """
          select core.unlimit_jobs(\(acting.company.id), \(nullable: queue)::text, \(nullable: kind)::text, \(forEach))
          """,
          as: Bool.self
        )
        guard wasLimited else {
          throw DomainError(.notFound, "\(what) has no limit", hint: "list limits with `fettle queue list`")
        }
        return
      }
      try tx.execute(
        """
        select core.limit_jobs(\(acting.company.id), \(nullable: queue)::text, \(nullable: kind)::text, \(forEach),
          \(nullable: maxRunning.map(Int32.init(clamping:)))::integer,
          \(nullable: rate.map { Int32(clamping: $0.count) })::integer,
          make_interval(secs => \(nullable: rate?.period.seconds)::double precision),
          \(acting.actor.name ?? acting.actor.kind.rawValue))
        """
      )
    }
    await JobNotifier(services.database).notify()
  }

  /// Maintains the job partitions of all companies, and audits the steps.
  ///
  /// - Parameter acting: the system company.
  package func maintain(_ acting: ActingContext, _ maintenance: QueueMaintenance, dryRun: Bool) async throws
    -> [QueueMaintenance.Step]
  {
    let steps = try await maintenance.run(dryRun: dryRun)
    let changes = steps.filter { $0.action != .keep }
    guard !dryRun, !changes.isEmpty else { return steps }
    let detail: JSONObject = [
      "steps": .strings(changes.map { "\($0.action.rawValue) \($0.subject)" })
    ]
    try await administration.administer(acting, permission: "job.cancel") { _, _ in
      let entry = AuditEntry(
        action: "queue.maintained",
        subjectType: "queue",
        subjectID: "all",
        detail: JSON(detail)
      )
      return ((), [entry])
    }
    return steps
  }

  private func change(
    _ acting: ActingContext,
    _ action: String,
    _ what: String,
    _ body: @escaping @Sendable (Transaction) throws -> Void
  ) async throws {
    try await administration.administer(acting, permission: "job.cancel") { tx, _ in
      try body(tx)
      return ((), [AuditEntry(action: action, subjectType: "queue", subjectID: what)])
    }
  }
}
