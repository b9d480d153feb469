internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// The use cases of a company's schedules.
package struct Schedules: Sendable {
  private let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the schedules of the installed apps, by name.
  package func list(_ acting: ActingContext) async throws -> [ScheduleRow] {
    try await administration.read(acting, permission: "job.read") { tx, _ in
      try ScheduleStore.all(company: acting.company.id, tx)
    }
  }

  /// Returns the next times of schedules, soonest first. Paused and suspended schedules are left out.
  ///
  /// - Parameters:
  ///   - name: the schedule; nil for all.
  ///   - count: the number of times per schedule.
  /// - Throws: `not_found` for an unknown name.
  package func next(_ acting: ActingContext, name: String?, count: Int) async throws
    -> [(schedule: ScheduleRow, at: Instant)]
  {
    let all = try await list(acting)
    return try await administration.read(acting, permission: "job.read") { tx, _ in
      let chosen = try name.map { [try find($0, acting, tx)] } ?? all
      let now = try tx.value("select clock_timestamp()", as: Instant.self)
      return
        try chosen
        .filter { $0.pausedAt == nil && !$0.isHeld }
        .flatMap { schedule in
          let reckoning = ScheduleReckoning(
            cron: try CronExpression(parsing: schedule.cron),
            zone: schedule.timeZone
          )
          var times: [(schedule: ScheduleRow, at: Instant)] = []
          while times.count < count, let next = try reckoning.next(after: times.last?.at ?? now, tx) {
            times.append((schedule, next))
          }
          return times
        }
        .sorted { ($0.at, $0.schedule.name) < ($1.at, $1.schedule.name) }
    }
  }

  /// Enqueues the job of a schedule now. The schedule's next time does not change.
  ///
  /// - Returns: the id of the job.
  /// - Throws: `not_found`.
  package func run(_ acting: ActingContext, name: String) async throws -> UUID {
    let id = services.ids.next()
    try await administration.administer(acting, permission: "job.enqueue") { tx, _ in
      let schedule = try find(name, acting, tx)
      let job = NewJob(
        id: id,
        kind: schedule.kind,
        payload: JSON(["schedule": .string(name)] as JSONObject),
        uniqueKey: "schedule:\(name):by hand:\(id.text)"
      )
      try JobOutbox.write([job], company: acting.company.id, traceID: nil, tx)
      return ((), [AuditEntry(action: "schedule.run", subjectType: "schedule", subjectID: name)])
    }
    await JobNotifier(services.database).notify()
    return id
  }

  /// Pauses a schedule. Times that pass before it is resumed are skipped.
  ///
  /// - Throws: `not_found`, or `wrong_state` if it is paused already.
  package func pause(_ acting: ActingContext, name: String) async throws {
    try await set(true, acting, name)
  }

  /// Resumes a paused schedule at its next time.
  ///
  /// - Throws: `not_found`, or `wrong_state` if it is not paused.
  package func resume(_ acting: ActingContext, name: String) async throws {
    try await set(false, acting, name)
  }

  private func set(_ isPaused: Bool, _ acting: ActingContext, _ name: String) async throws {
    try await administration.administer(acting, permission: "job.cancel") { tx, _ in
      _ = try find(name, acting, tx)
      // No worker may have stored the schedule for the company yet.
      try ScheduleStore.reconcile(company: acting.company.id, tx)
      try CompanyAppStore.holdTimedWork(company: acting.company.id, tx)
      guard try ScheduleStore.pause(isPaused, company: acting.company.id, name: name, tx) else {
        throw DomainError(.wrongState, "\(name) is \(isPaused ? "paused already" : "not paused")")
      }
      let action = isPaused ? "schedule.paused" : "schedule.resumed"
      return ((), [AuditEntry(action: action, subjectType: "schedule", subjectID: name)])
    }
  }

  private func find(_ name: String, _ acting: ActingContext, _ tx: Transaction) throws -> ScheduleRow {
    let all = try ScheduleStore.all(company: acting.company.id, tx)
    if let found = all.first(where: { $0.name == name }) { return found }
    throw DomainError(
      .notFound,
      "\(acting.company.slug) has no schedule \(Quoted(name))",
      hint: ActingContexts.hint(
        for: name,
        among: all.map(\.name),
        list: "fettle schedule list --company \(acting.company.slug)"
      )
    )
  }
}
