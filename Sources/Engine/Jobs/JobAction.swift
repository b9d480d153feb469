package import Domain
internal import FoundationEssentials
package import Postgres
package import Store

/// An operator's change to jobs.
package enum JobAction: Sendable, Hashable {
  /// Retries dead and cancelled jobs with one more attempt, and runs retrying ones now.
  case retry
  /// Cancels waiting jobs; a running one is cancelled by its worker.
  case cancel
  /// Dismisses a dead job: it counts as cancelled.
  case discard
  /// Postpones waiting jobs until a time.
  case snooze(until: Timestamp)
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
    case .runNow: "made_due"
    }
  }

  /// The required permission.
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

  /// The filter of a bulk action. It must name a state, unless the action applies to one state only.
  ///
  /// - Throws: `invalid_input` without a state, or with one to which the action does not apply.
  package func narrowed(_ filter: JobFilter) throws -> JobFilter {
    var filter = filter
    if filter.state == nil, states.count == 1 { filter.state = states.first }
    let possible = states.map { "state=\($0.rawValue)" }.joined(separator: " or ")
    guard let state = filter.state else {
      throw DomainError(
        .invalidInput,
        "which jobs to \(name) is not said by their state",
        hint: "add \(possible) to --where"
      )
    }
    guard states.contains(state) else {
      throw DomainError(
        .invalidInput,
        "jobs that are \(state.rawValue) cannot be \(done)",
        hint: "\(name) takes \(possible)"
      )
    }
    return filter
  }

  /// Applies the action; false if the job is in another state.
  func perform(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    switch self {
    case .retry: try JobListing.retry(company: company, id: id, tx)
    case .cancel: try JobListing.cancel(company: company, id: id, tx)
    case .discard: try JobListing.discard(company: company, id: id, tx)
    case .runNow: try JobListing.runNow(company: company, id: id, tx)
    case .snooze(let time): try JobListing.snooze(company: company, id: id, until: time, tx)
    }
  }
}
