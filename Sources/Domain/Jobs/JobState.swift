/// Where a job is.
package enum JobState: String, Sendable, Codable, CaseIterable {
  /// Waiting for its time or a worker.
  case queued
  /// Held by a worker under a lease.
  case running
  /// Failed, waiting to be tried again.
  case retrying
  /// Done.
  case succeeded
  /// Given up; visible, counted, and retryable by hand.
  case dead
  /// Called off.
  case cancelled

  /// What can happen to a job.
  package enum Event: String, Sendable, Codable, CaseIterable {
    /// A worker takes it.
    case claim
    /// The worker finished it.
    case complete
    /// An attempt failed and another is left.
    case fail
    /// An attempt failed and none is left, or it is known that another would not help.
    case kill
    /// The worker hands it back unharmed: it drains, or the job asks to be run later.
    case release
    /// A person, or the end of its cause, calls it off.
    case cancel
    /// A person has it tried again from the start.
    case retry
  }

  /// Whether nothing more happens by itself.
  package var isFinished: Bool { self == .succeeded || self == .dead || self == .cancelled }

  /// The state after an event; nil when it cannot happen.
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

  /// The state after an event, or a refusal that names what could happen.
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
