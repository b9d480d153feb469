package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// The result of a bulk action on jobs.
package struct JobBulk: Sendable {
  /// A job that could not be changed, and the reason.
  package struct Refusal: Sendable {
    package let job: JobRow
    package let code: ErrorCode
    package let reason: String
  }

  /// The number of changed jobs; in a dry run, of jobs that would be changed.
  package var done = 0
  /// The first 10 of these jobs.
  package var first: [JobRow] = []
  package var refusals: [Refusal] = []
}

extension JobAdministration {
  /// The number of jobs changed per transaction.
  private static let batch = 200
  /// The number of jobs listed in the result.
  private static let shown = 10

  /// Applies an action to every job that matches a filter, in one company or in all.
  ///
  /// Works in batches. Each batch is one transaction per company, with an audit entry. If a batch fails,
  /// earlier ones remain. Jobs that have left the state meanwhile are skipped.
  ///
  /// - Parameters:
  ///   - company: the company; nil for all companies.
  ///   - contexts: returns the acting context in a job's company; called once per company.
  ///   - dryRun: true to count the jobs and list the first ones only.
  ///   - progress: called with the number of changed jobs so far.
  /// - Throws: `invalid_input` for a filter without a fitting state.
  package func performAll(
    _ action: JobAction,
    where filter: JobFilter,
    company: ActingContext?,
    contexts: @escaping (JobRow) async throws -> ActingContext,
    dryRun: Bool,
    progress: (Int) -> Void
  ) async throws -> JobBulk {
    let filter = try action.narrowed(filter)
    var bulk = JobBulk()
    var known: [UUID: ActingContext] = [:]
    if let company { known[company.company.id] = company }
    var place: JobPlace? = JobPlace()
    while let here = place {
      let page: JobPage
      if let company {
        page = try await list(company, filter, after: here, limit: Self.batch)
      } else {
        page = try await all(filter, after: here, limit: Self.batch)
      }
      place = page.next
      if dryRun {
        bulk.count(page.jobs, upTo: Self.shown)
        progress(bulk.done)
        continue
      }
      for (id, jobs) in Dictionary(grouping: page.jobs, by: \.companyID).sorted(by: {
        $0.key.text < $1.key.text
      }) {
        guard let job = jobs.first else { continue }
        if known[id] == nil { known[id] = try await contexts(job) }
        guard let acting = known[id] else { continue }
        try await perform(action, acting, jobs, &bulk)
        progress(bulk.done)
      }
    }
    if bulk.done > 0, !dryRun, action == .retry || action == .runNow {
      await JobNotifier(services.database).notify()
    }
    if bulk.done > 0, !dryRun, action == .cancel { await JobNotifier(services.database).callOff() }
    return bulk
  }

  private func perform(_ action: JobAction, _ acting: ActingContext, _ jobs: [JobRow], _ bulk: inout JobBulk)
    async throws
  {
    do {
      bulk.count(try await attempt(action, acting, jobs), upTo: Self.shown)
    } catch let error as DomainError where jobs.count > 1 && error.code == .alreadyExists {
      // One job blocks the batch, so the jobs are changed one by one.
      for job in jobs { try await perform(action, acting, [job], &bulk) }
    } catch let error as DomainError where error.code == .alreadyExists {
      bulk.refusals += jobs.map { .init(job: $0, code: error.code, reason: error.message) }
    }
  }

  /// Changes the jobs that are still in a matching state, and returns the changed ones.
  ///
  /// - Throws: `already_exists` if another job holds the unique key of one of them.
  private func attempt(_ action: JobAction, _ acting: ActingContext, _ jobs: [JobRow]) async throws
    -> [JobRow]
  {
    do {
      return try await administration.administer(acting, permission: action.permission) { tx, _ in
        let done = try jobs.filter { try action.perform(company: acting.company.id, id: $0.id, tx) }
        guard !done.isEmpty else { return (done, []) }
        let entry = AuditEntry(
          action: action.audited,
          subjectType: "jobs",
          subjectID: "\(done.count)",
          detail: JSON(["ids": .strings(done.map(\.id.text))] as JSONObject)
        )
        return (done, [entry])
      }
    } catch let error as PostgresError where error.sqlState?.rawValue == "FT011" {
      throw DomainError(.alreadyExists, "another job of its kind holds its key")
    }
  }
}

extension JobBulk {
  fileprivate mutating func count(_ jobs: [JobRow], upTo shown: Int) {
    done += jobs.count
    first += jobs.prefix(max(0, shown - first.count))
  }
}
