package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// An action on jobs.
package enum JobAction: Sendable, Hashable {
  /// Retries dead and cancelled jobs with at least one attempt left, and runs retrying jobs now.
  case retry
  /// Cancels waiting jobs at once; the worker of a running job cancels it.
  case cancel
  /// Dismisses dead jobs, which then count as cancelled.
  case discard
  /// Postpones waiting jobs until a time.
  case snooze(until: Instant)
  /// Runs deferred jobs as soon as a worker is free.
  case runNow

  /// The name of the action in commands and audit.
  package var name: String {
    switch self {
    case .retry: "retry"
    case .cancel: "cancel"
    case .discard: "discard"
    case .snooze: "snooze"
    case .runNow: "run-now"
    }
  }

  /// The past participle for messages.
  package var done: String {
    switch self {
    case .retry: "retried"
    case .cancel: "cancelled"
    case .discard: "discarded"
    case .snooze: "snoozed"
    case .runNow: "made due"
    }
  }

  /// The action of its audit entries.
  var audited: String { "job.\(self == .runNow ? "made_due" : done)" }

  /// The permission that the action requires.
  var permission: String { self == .retry || self == .runNow ? "job.retry" : "job.cancel" }

  /// The job states in which the action applies.
  package var states: [JobState] {
    switch self {
    case .retry: [.dead, .cancelled, .retrying]
    case .cancel: [.queued, .retrying, .running]
    case .discard: [.dead]
    case .snooze, .runNow: [.queued, .retrying]
    }
  }

  /// Returns the filter of a bulk action, with its state. The filter must name a state, unless the action
  /// applies to only one.
  ///
  /// - Throws: `invalid_input` for a filter without a state, or with a state to which the action does not
  ///   apply.
  package func narrowed(_ filter: JobFilter) throws -> JobFilter {
    var filter = filter
    if filter.state == nil, states.count == 1 { filter.state = states.first }
    let possible = states.map { "state=\($0.rawValue)" }.joined(separator: " or ")
    guard let state = filter.state else {
      throw DomainError(
        .invalidInput,
        "the filter does not name the state of the jobs to \(name)",
        hint: "add \(possible) to --where"
      )
    }
    guard states.contains(state) else {
      throw DomainError(
        .invalidInput,
        "jobs that are \(state.rawValue) cannot be \(done)",
        hint: "use \(possible)"
      )
    }
    return filter
  }

  /// Applies the action to a job.
  ///
  /// - Returns: false if the job is in another state or does not exist.
  /// - Throws: ``PostgresError`` with state `FT011` if another job holds the unique key.
  func perform(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    switch self {
    case .retry: try JobListing.retry(company: company, id: id, tx)
    case .cancel: try JobListing.cancel(company: company, id: id, tx)
    case .discard: try tx.value("select core.discard_job(\(id))", as: Bool.self)
    case .runNow: try JobListing.runNow(company: company, id: id, tx)
    case .snooze(let time): try tx.value("select core.snooze_job(\(id), \(time))", as: Bool.self)
    }
  }
}
