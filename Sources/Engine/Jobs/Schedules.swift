internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// The use cases of a company's schedules.
package struct Schedules: Sendable {
  /// The maximum number of schedules that a company makes itself.
  package static let limit = 100

  private let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the schedules of the company and of the installed apps, by name.
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

  /// Adds a schedule of the company's own, which enqueues a job with the name of the schedule in its payload.
  ///
  /// - Throws: `invalid_input` for a name of another form, `already_exists` if there is one of this name, `quota_exceeded` for
  ///   more than ``limit``; the errors of ``CronExpression`` and of time zones.
  package func add(
    _ acting: ActingContext,
    name: String,
    kind: String,
    cron: String,
    timeZone: String? = nil
  ) async throws {
    guard Domain.Identifier.isDotted(name, words: 1...4) else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(name)) is not the name of a schedule",
        hint: "write words of lower-case letters, digits and _, separated by dots, such as report.weekly"
      )
    }
    guard Domain.Identifier.isDotted(kind, words: 1...4) else {
      throw DomainError(.unknownJobKind, "\(Quoted(kind)) is not a kind of job")
    }
    _ = try CronExpression(parsing: cron)
    try await administration.administer(acting, permission: "job.enqueue") { tx, _ in
      let zone = try timeZone.map { try TimeZoneCheck.require($0, tx) }
      let all = try ScheduleStore.all(company: acting.company.id, tx)
      guard !all.contains(where: { $0.name == name }) else {
        throw DomainError(
          .alreadyExists,
          "\(acting.company.slug) has a schedule \(name) already",
          hint: "choose another name, or remove it with `fettle schedule remove \(name)`"
        )
      }
      let isAdded = try ScheduleStore.add(
        company: acting.company.id,
        name: name,
        kind: kind,
        cron: cron,
        timeZone: zone,
        limit: Self.limit,
        tx
      )
      guard isAdded else {
        throw DomainError(.quotaExceeded, "a company makes at most \(Self.limit) schedules itself")
      }
      let detail: JSONObject = ["kind": .string(kind), "cron": .string(cron)]
      return (
        (),
        [AuditEntry(action: "schedule.added", subjectType: "schedule", subjectID: name, detail: JSON(detail))]
      )
    }
  }

  /// Removes a schedule of the company's own.
  ///
  /// - Throws: `not_found`, or `wrong_state` for a schedule of an app, which can be paused only.
  package func remove(_ acting: ActingContext, name: String) async throws {
    try await administration.administer(acting, permission: "job.cancel") { tx, _ in
      let schedule = try find(name, acting, tx)
      guard try ScheduleStore.remove(company: acting.company.id, name: name, tx) else {
        throw DomainError(
          .wrongState,
          "\(name) belongs to \(schedule.app)",
          hint: "pause it with `fettle schedule pause \(name)`"
        )
      }
      return ((), [AuditEntry(action: "schedule.removed", subjectType: "schedule", subjectID: name)])
    }
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
