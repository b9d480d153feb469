internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// A schedule that was due, and the outcome.
package struct FiredSchedule: Sendable {
  /// The result of handling a due schedule.
  package enum Outcome: Sendable, Hashable {
    /// The schedule's job was enqueued.
    case enqueued
    /// The schedule is new or was changed, so only its next time was computed.
    case computed
    /// The company is not active, so its schedules are suspended.
    case held
    /// Firing the schedule failed for this reason; it is retried after a delay.
    case failed(String)
  }

  package let schedule: DueSchedule
  package let outcome: Outcome
}

/// Enqueues the jobs of due schedules, each once regardless of the number of workers.
///
/// If several times were missed while no worker ran, one job is enqueued, for the latest of them.
package struct ScheduleKeeper: Sendable {
  private let services: Services
  private let offset: @Sendable () -> Duration

  /// - Parameters:
  ///   - services: the services of a worker, with its login.
  ///   - offset: returns a duration that is added to the database's time.
  package init(_ services: Services, offset: @escaping @Sendable () -> Duration = { .zero }) {
    self.services = services
    self.offset = offset
  }

  /// Creates the schedules that companies lack.
  ///
  /// - Returns: the number of companies that lacked schedules.
  package func reconcile() async throws -> Int {
    // At most 1,000 active companies whose schedules or time zones differ from those of the installed apps.
    let companies = try await services.database.transaction { tx in
      try tx.rows("select c.company_id from core.companies_to_schedule() c", UUID.self)
    }
    for company in companies {
      try await services.database.transaction(.inside(company)) { tx in
        try ScheduleStore.reconcile(company: company, tx)
        try CompanyAppStore.holdTimedWork(company: company, tx)
      }
    }
    return companies.count
  }

  /// Fires the schedule that has been due longest and that no other worker is firing.
  ///
  /// - Returns: the schedule and its outcome; nil if no schedule is due.
  package func fireNext() async throws -> FiredSchedule? {
    var options = TransactionOptions(statementTimeout: .seconds(10), lockTimeout: .seconds(5))
    options.retries = 5
    let offset = offset()
    let fired = try await services.database.transaction(options) { tx -> FiredSchedule? in
      guard let schedule = try ScheduleStore.claim(offset: offset, tx) else { return nil }
      try tx.enter(schedule.company)
      do {
        return FiredSchedule(schedule: schedule, outcome: try fire(schedule, tx))
      } catch let error as PostgresError where error.isTransient || error.kind == .cancelled {
        throw error
      } catch {
        try tx.rollback()
        return FiredSchedule(schedule: schedule, outcome: .failed("\(error)"))
      }
    }
    if let fired, case .failed = fired.outcome {
      try await services.database.transaction(.inside(fired.schedule.company)) { tx in
        try ScheduleStore.postpone(fired.schedule, tx)
      }
    }
    return fired
  }

  private func fire(_ schedule: DueSchedule, _ tx: Transaction) throws -> FiredSchedule.Outcome {
    guard let company = try CompanyStore.find(id: schedule.company, tx) else { throw DomainError(.notFound) }
    guard company.status.permits(.runJobs) else {
      try CompanyAppStore.holdTimedWork(company: company.id, tx)
      return .held
    }
    let cron = try CronExpression(parsing: schedule.cron)
    let zone = schedule.timeZone ?? company.timeZone
    let isNew = schedule.dueAt == .distantPast
    let reckoning = ScheduleReckoning(cron: cron, zone: zone)
    let next = try reckoning.next(after: schedule.now, tx) ?? .distantFuture
    guard !isNew else {
      try ScheduleStore.advance(schedule, next: next, zone: zone, fired: nil, tx)
      return .computed
    }
    let due = try reckoning.latest(from: schedule.dueAt, upTo: schedule.now, tx)
    let job = NewJob(
      id: services.ids.next(),
      kind: schedule.kind,
      payload: JSON(["schedule": .string(schedule.name), "due_at": .string(due.description)] as JSONObject),
      uniqueKey: "schedule:\(schedule.name):\(due.description)"
    )
    try JobOutbox.write([job], company: company.id, traceID: nil, tx)
    try ScheduleStore.advance(schedule, next: next, zone: zone, fired: (due, job.id), tx)
    return .enqueued
  }
}

/// Computes a schedule's due times with PostgreSQL's time zone data.
struct ScheduleReckoning {
  let cron: CronExpression
  let zone: String

  /// Returns the first time after a moment; nil if there is none within 3,300 days. The wider search is for
  /// 29 February, which can be eight years away.
  func next(after moment: Instant, _ tx: Transaction) throws -> Instant? {
    for days in [400, 3_300] {
      let offsets = try ZoneOffsets.read(zone, from: moment, days: days, tx)
      if let next = cron.next(after: moment, in: offsets) {
        return next
      }
    }
    return nil
  }

  /// Returns the latest due time up to now. At most the last 400 days are searched.
  func latest(from due: Instant, upTo now: Instant, _ tx: Transaction) throws -> Instant {
    let start = max(due, now + .seconds(-400 * 86_400))
    let days = Int((now.microseconds - start.microseconds) / 86_400_000_000) + 4
    let offsets = try ZoneOffsets.read(zone, from: start, days: days, tx)
    let latest = cron.latest(
      from: start,
      upTo: now,
      in: offsets
    )
    return latest
  }
}
