/// The state of a job.
package enum JobState: String, Sendable, Codable, CaseIterable {
  /// Waiting for its time or a worker.
  case queued
  /// Held by a worker under a lease.
  case running
  /// Failed; to be retried.
  case retrying
  /// Completed.
  case succeeded
  /// Failed on its last attempt or permanently; visible, counted, and retryable manually.
  case dead
  /// Cancelled.
  case cancelled

  /// The events in the life of a job.
  package enum Event: String, Sendable, Codable, CaseIterable {
    /// A worker claims it.
    case claim
    /// The worker finished it.
    case complete
    /// An attempt failed and another is left.
    case fail
    /// The last attempt failed, or the failure is permanent.
    case kill
    /// The worker returns it unharmed: the worker drains, or the job asks to run later.
    case release
    /// A user, or the end of its cause, cancels it.
    case cancel
    /// A user restarts its attempts.
    case retry
  }

  /// True if the state changes only manually.
  package var isFinished: Bool { self == .succeeded || self == .dead || self == .cancelled }

  /// Returns the state after an event; nil if the event is invalid.
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

  /// Returns the state after an event; the error lists the valid events.
  package func after(_ event: Event) throws(DomainError) -> JobState {
    if let state = self[event] { return state }
    let allowed = Event.allCases.filter { self[$0] != nil }.map(\.rawValue)
    throw DomainError(
      .wrongState,
      "\(event.rawValue) is not possible: the job is \(rawValue)",
      hint: allowed.isEmpty
        ? "Nothing more happens to it." : "Possible now: \(allowed.joined(separator: ", ")).",
      details: ["status": .string(rawValue), "allowed": .strings(allowed)]
    )
  }
}
