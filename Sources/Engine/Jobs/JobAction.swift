package import Domain
internal import FoundationEssentials
package import Postgres
package import Store

/// What operators do to jobs.
package enum JobAction: Sendable, Hashable {
  /// Dead and cancelled jobs are tried once more than before, those to be tried again are tried now.
  case retry
  /// What waits for its time or a worker is called off; of what runs the worker is asked to end it.
  case cancel
  /// A dead job needs no more care: it counts as cancelled.
  case discard
  /// What waits, waits until then.
  case snooze(until: Timestamp)

  /// What it is called.
  package var name: String {
    switch self {
    case .retry: "retry"
    case .cancel: "cancel"
    case .discard: "discard"
    case .snooze: "snooze"
    }
  }

  /// What was done to a job.
  package var done: String {
    switch self {
    case .retry: "retried"
    case .cancel: "cancelled"
    case .discard: "discarded"
    case .snooze: "snoozed"
    }
  }

  /// The permission that it takes.
  var permission: String { self == .retry ? "job.retry" : "job.cancel" }

  /// The states in which it can be done.
  package var states: [JobState] {
    switch self {
    case .retry: [.dead, .cancelled, .retrying]
    case .cancel: [.queued, .retrying, .running]
    case .discard: [.dead]
    case .snooze: [.queued, .retrying]
    }
  }

  /// The filter of a change to many: it has to say a state, unless there is only one that it can be done in.
  ///
  /// - Throws: `invalid_input` without a state, or with one in which it cannot be done.
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

  /// Does it; false if the job is in another state.
  func perform(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    switch self {
    case .retry: try JobListing.retry(company: company, id: id, tx)
    case .cancel: try JobListing.cancel(company: company, id: id, tx)
    case .discard: try JobListing.discard(company: company, id: id, tx)
    case .snooze(let time): try JobListing.snooze(company: company, id: id, until: time, tx)
    }
  }
}
