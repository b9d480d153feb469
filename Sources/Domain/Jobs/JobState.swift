/// The state of a job.
package enum JobState: String, Sendable, Codable, CaseIterable {
  /// Waiting for its due time or for a worker.
  case queued
  /// Claimed by a worker under a lease.
  case running
  /// Waiting for the next attempt after a failed one.
  case retrying
  /// Ended with success.
  case succeeded
  /// Failed on its last attempt or permanently. A dead job is listed and counted, and a user can retry it.
  case dead
  /// Ended without success by a user.
  case cancelled

  /// The events that change the state of a job.
  package enum Event: String, Sendable, Codable, CaseIterable {
    /// A worker claims the job.
    case claim
    /// An attempt succeeds.
    case complete
    /// An attempt fails, and at least one more is left.
    case fail
    /// The last attempt fails, or an attempt fails permanently.
    case kill
    /// The worker hands the job back because it stops, or the handler snoozes the job. The attempt does not
    /// count.
    case release
    /// A user cancels the job. A running job is stopped by its worker.
    case cancel
    /// A user retries the job. It keeps its number of attempts, and gets at least one more.
    case retry
  }

  /// True if no worker changes the state any more; only a user can.
  package var isFinished: Bool { self == .succeeded || self == .dead || self == .cancelled }

  /// Returns the state after an event; nil if the event is not possible in this state.
  package subscript(event: Event) -> JobState? {
    switch (self, event) {
    case (.queued, .claim), (.retrying, .claim): .running
    case (.running, .complete): .succeeded
    case (.running, .fail): .retrying
    case (.running, .kill): .dead
    case (.running, .release): .queued
    case (.queued, .cancel), (.retrying, .cancel), (.running, .cancel): .cancelled
    case (.dead, .retry), (.cancelled, .retry), (.retrying, .retry): .queued
    default: nil
    }
  }

  /// Returns the state after an event.
  ///
  /// - Throws: `wrong_state` with the possible events.
  package func after(_ event: Event) throws(DomainError) -> JobState {
    if let state = self[event] { return state }
    let allowed = Event.allCases.filter { self[$0] != nil }.map(\.rawValue)
    throw DomainError(
      .wrongState,
      "\(event.rawValue) is not possible: the job is \(rawValue)",
      hint: allowed.isEmpty
        ? "no event is possible in this state" : "possible now: \(allowed.joined(separator: ", "))",
      details: ["status": .string(rawValue), "allowed": .strings(allowed)]
    )
  }
}
