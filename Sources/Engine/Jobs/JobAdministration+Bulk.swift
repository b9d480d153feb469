package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// The result of a bulk action on jobs.
package struct JobBulk: Sendable {
  /// A job that was not changed, and the reason.
  package struct Refusal: Sendable {
    package let job: JobRow
    package let code: ErrorCode
    package let reason: String
  }

  /// The number of jobs changed, or that would be changed in a dry run.
  package var done = 0
  /// The first of these jobs.
  package var first: [JobRow] = []
  package var refusals: [Refusal] = []
}

extension JobAdministration {
  /// Jobs changed per transaction.
  private static let batch = 200
  /// Jobs listed in the result.
  private static let shown = 10

  /// Applies an action to every job that matches, of one company or of all.
  ///
  /// Works in batches, each one transaction with an audit entry in its company; finished batches stay when a
  /// later one fails. Jobs that left the state meanwhile are skipped.
  ///
  /// - Parameters:
  ///   - contexts: returns the acting context in a company; called once for each company with such jobs.
  ///   - company: nil for all companies.
  ///   - dryRun: only counts, and collects the first ones.
  ///   - progress: called with the number of jobs changed.
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
    if bulk.done > 0, !dryRun, action == .retry { await JobNotifier(services.database).notify() }
    if bulk.done > 0, !dryRun, action == .cancel { await JobNotifier(services.database).callOff() }
    return bulk
  }

  private func perform(_ action: JobAction, _ acting: ActingContext, _ jobs: [JobRow], _ bulk: inout JobBulk)
    async throws
  {
    do {
      bulk.count(try await attempt(action, acting, jobs), upTo: Self.shown)
    } catch let error as DomainError where jobs.count > 1 && error.code == .alreadyExists {
      // One job blocks the batch: change them one by one.
      for job in jobs { try await perform(action, acting, [job], &bulk) }
    } catch let error as DomainError where error.code == .alreadyExists {
      bulk.refusals += jobs.map { .init(job: $0, code: error.code, reason: error.message) }
    }
  }

  /// Changes the jobs that are still in a matching state, and returns these.
  private func attempt(_ action: JobAction, _ acting: ActingContext, _ jobs: [JobRow]) async throws
    -> [JobRow]
  {
    do {
      return try await administration.administer(acting, permission: action.permission) { tx, _ in
        let done = try jobs.filter { try action.perform(company: acting.company.id, id: $0.id, tx) }
        guard !done.isEmpty else { return (done, []) }
        let entry = AuditEntry(
          action: "job.\(action.done)",
          subjectType: "jobs",
          subjectID: "\(done.count)",
          detail: JSON(["ids": .strings(done.map(\.id.text))] as JSONObject)
        )
        return (done, [entry])
      }
    } catch let error as PostgresError where error.sqlState?.rawValue == "FT011" {
      throw DomainError(.alreadyExists, "another job of the kind holds its key")
    }
  }
}

extension JobBulk {
  fileprivate mutating func count(_ jobs: [JobRow], upTo shown: Int) {
    done += jobs.count
    first += jobs.prefix(max(0, shown - first.count))
  }
}
