internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// Lists, shows, enqueues and changes jobs.
package struct JobAdministration: Sendable {
  /// A job with its payload and its attempts.
  package struct Detail: Sendable {
    package let job: JobRow
    package let payload: JSON?
    package let attempts: [JobAttemptRow]
    /// The newest notes of the job, oldest first.
    package let notes: [JobNoteRow]

    /// The progress from 0 to 1 that the current attempt has reported; nil if it has reported none.
    package var progress: Double? { notes.last { $0.done != nil && $0.attempt == job.attempt }?.done }
  }

  let services: Services
  let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns a page of the jobs of all companies, without payloads. Operators only.
  ///
  /// - Parameter isCounted: true if the caller has read the counts within the last seconds.
  package func all(
    _ filter: JobFilter,
    after place: JobPlace = JobPlace(),
    limit: Int,
    isCounted: Bool = false
  ) async throws -> JobPage {
    try await count(for: filter, isCounted)
    return try await services.database.transaction { tx in
      try JobListing.page(company: nil, filter, after: place, limit: limit, tx)
    }
  }

  /// Returns a page of the jobs of a company, newest first. Requires `job.read`.
  ///
  /// - Parameter isCounted: true if the caller has read the counts within the last seconds.
  package func list(
    _ acting: ActingContext,
    _ filter: JobFilter,
    after place: JobPlace = JobPlace(),
    limit: Int,
    isCounted: Bool = false
  ) async throws -> JobPage {
    try await count(for: filter, isCounted)
    return try await administration.read(acting, permission: "job.read") { tx, _ in
      try JobListing.page(company: acting.company.id, filter, after: place, limit: limit, tx)
    }
  }

  /// Only a list of succeeded jobs needs counters of this moment.
  private func count(for filter: JobFilter, _ isCounted: Bool) async throws {
    guard !isCounted || filter.state == .succeeded else { return }
    try await JobListing.bringCountsForward(for: filter, services.database)
  }

  /// Returns the last errors of the jobs that have failed, by job id.
  package func lastErrors(of jobs: [JobRow]) async throws -> [UUID: String] {
    var errors: [UUID: String] = [:]
    let failed = jobs.filter { $0.attempt > 0 && $0.state != .succeeded }
    for (company, jobs) in Dictionary(grouping: failed, by: \.companyID) {
      let ids = jobs.map(\.id)
      let found = try await services.database.transaction(.inside(company, readOnly: true)) { tx in
        try JobListing.lastErrors(of: ids, tx)
      }
      errors.merge(found) { first, _ in first }
    }
    return errors
  }

  /// Returns the id of the job whose id begins with a text. A complete id is returned without a lookup.
  ///
  /// - Throws: `not_found` if no job matches, `invalid_input` if several match.
  package func resolve(_ acting: ActingContext, _ text: String) async throws -> UUID {
    if let id = UUID(text: text) { return id }
    let found = try await administration.read(acting, permission: "job.read") { tx, _ in
      try JobListing.ids(company: acting.company.id, beginning: text, tx)
    }
    guard found.count < 2 else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) fits more than one job",
        hint: "write more characters of the id"
      )
    }
    guard let id = found.first else {
      throw DomainError(
        .notFound,
        "there is no job \(Quoted(text)) in \(acting.company.slug)",
        hint: "list the jobs with `fettle job list --company \(acting.company.slug)`"
      )
    }
    return id
  }

  /// Returns one job with its payload, attempts and newest notes.
  ///
  /// - Parameter notes: the maximum number of notes.
  /// - Throws: `not_found`.
  package func show(_ acting: ActingContext, id: UUID, notes: Int = 50) async throws -> Detail {
    try await administration.read(acting, permission: "job.read") { tx, _ in
      guard let job = try JobListing.find(company: acting.company.id, id: id, tx) else {
        throw missing(acting)
      }
      return Detail(
        job: job,
        payload: try tx.value("select core.job_subject(\(id))", as: JSON?.self),
        attempts: try JobListing.attempts(company: acting.company.id, id: id, tx),
        notes: try JobListing.notes(company: acting.company.id, id: id, limit: notes, tx)
      )
    }
  }

  /// Enqueues a job by hand. Requires `job.enqueue`.
  ///
  /// - Returns: the id of the job.
  /// - Throws: `already_exists` if another open job of the kind has the unique key, `invalid_name`.
  package func enqueue(
    _ acting: ActingContext,
    kind: String,
    queue: String = "default",
    priority: Int = 2,
    runAt: Instant? = nil,
    maxAttempts: Int = 5,
    payload: JSON = JSON(text: "{}"),
    uniqueKey: String? = nil
  ) async throws -> UUID {
    try Self.requireNames(kind: kind, queue: queue, uniqueKey: uniqueKey)
    let id = services.ids.next()
    let job = NewJob(
      id: id,
      kind: kind,
      queue: queue,
      priority: priority,
      runAt: runAt,
      maxAttempts: maxAttempts,
      payload: payload,
      uniqueKey: uniqueKey
    )
    try await administration.administer(acting, permission: "job.enqueue") { tx, _ in
      try JobOutbox.write([job], company: acting.company.id, traceID: nil, tx)
      guard try uniqueKey == nil || JobListing.find(company: acting.company.id, id: id, tx) != nil else {
        throw DomainError(
          .alreadyExists,
          "a job of kind \(kind) with the key \(Quoted(uniqueKey ?? "")) is open",
          hint: "show it with `fettle job list --company \(acting.company.slug) --where kind=\(kind)`"
        )
      }
      return (
        (),
        [
          AuditEntry(
            action: "job.enqueued",
            subjectType: "job",
            subjectID: id.text,
            detail: JSON(["kind": .string(kind)] as JSONObject)
          )
        ]
      )
    }
    if let notification = JobNotification([job], company: acting.company.id) {
      await JobNotifier(services.database).notify(notification)
    }
    return id
  }

  /// Applies an action to one job.
  ///
  /// - Throws: `not_found` if there is no such job, `wrong_state` if the action does not apply to the job's
  ///   state.
  package func perform(_ action: JobAction, _ acting: ActingContext, id: UUID) async throws {
    try await administration.administer(acting, permission: action.permission) { tx, _ in
      guard try action.perform(company: acting.company.id, id: id, tx) else {
        guard let job = try JobListing.find(company: acting.company.id, id: id, tx) else {
          throw missing(acting)
        }
        throw refusal(action, job)
      }
      return ((), [AuditEntry(action: action.audited, subjectType: "job", subjectID: id.text)])
    }
    if action == .retry || action == .runNow { await JobNotifier(services.database).notify() }
    if action == .cancel { await JobNotifier(services.database).callOff() }
  }

  /// Returns the current time of the database's clock plus a delay.
  package func moment(after time: Duration) async throws -> Instant {
    try await services.database.value(
      "select clock_timestamp() + make_interval(secs => \(time.seconds))",
      as: Instant.self
    )
  }

  /// Requires names that the queue can keep.
  private static func requireNames(kind: String, queue: String, uniqueKey: String?) throws(DomainError) {
    guard kind.wholeMatch(of: /[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){0,}/) != nil else {
      throw DomainError(
        .invalidName,
        "\(Quoted(kind)) cannot be a kind of job",
        hint: "write it in lower case, as report.print"
      )
    }
    guard queue.wholeMatch(of: /[a-z][a-z0-9_-]{0,62}/) != nil else {
      throw DomainError(
        .invalidName,
        "\(Quoted(queue)) cannot be the name of a queue",
        hint: "use a lower-case letter and up to 62 of a-z, 0-9, _ and -"
      )
    }
    guard (1...200).contains(uniqueKey?.unicodeScalars.count ?? 1) else {
      throw DomainError(.invalidName, "a unique key has 1 to 200 characters", hint: "write another one")
    }
  }

  private func refusal(_ action: JobAction, _ job: JobRow) -> DomainError {
    let possible = action.states.map(\.rawValue).joined(separator: ", ")
    return DomainError(
      .wrongState,
      "the job is \(job.state.rawValue) and cannot be \(action.done)",
      hint: action == .runNow && job.state == .dead
        ? "retry it with `fettle job retry \(job.id.text)`"
        : "\(action.name) is for jobs that are \(possible)"
    )
  }

  private func missing(_ acting: ActingContext) -> DomainError {
    DomainError(.notFound, "there is no such job in \(acting.company.slug)")
  }
}
