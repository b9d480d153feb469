/// How far a piece of work is: the typed form of the workflow `maintenance.entry`.
///
/// The workflow's file is what the engine follows; a test holds the two against each other, edge by edge.
package enum MaintenanceStatus: String, Sendable, Codable, CaseIterable {
  /// Reported, not begun.
  case pending
  /// Being worked on.
  case inProgress = "in_progress"
  /// Done.
  case completed

  /// What people can do to an entry.
  package enum Action: String, Sendable, Codable, CaseIterable {
    /// Begin the work.
    case start
    /// Put it back to waiting.
    case pause
    /// End it.
    case complete
    /// Take it up again after it was completed.
    case reopen
  }

  /// What the status means to outsiders.
  package var category: StateCategory {
    switch self {
    case .pending: .open
    case .inProgress: .active
    case .completed: .done
    }
  }

  /// What can be done in this status.
  package var actions: [Action] { Action.allCases.filter { self[$0] != nil } }

  /// The status that an action leads to; nil when it is not possible.
  package subscript(action: Action) -> MaintenanceStatus? {
    switch (self, action) {
    case (.pending, .start), (.completed, .reopen): .inProgress
    case (.inProgress, .pause): .pending
    case (.inProgress, .complete): .completed
    default: nil
    }
  }

  /// The status after an action, or a refusal that names what would be possible.
  package func after(_ action: Action) throws(DomainError) -> MaintenanceStatus {
    if let status = self[action] { return status }
    let allowed = actions.map(\.rawValue)
    throw DomainError(
      .wrongState,
      "\(action.rawValue) is not possible: the entry is \(rawValue)",
      hint: "allowed now: \(allowed.joined(separator: ", "))",
      details: ["status": .string(rawValue), "allowed": .strings(allowed)]
    )
  }
}
