/// The status of a maintenance entry: the typed form of the workflow `maintenance.entry`.
///
/// The engine follows the workflow's file; a test compares the two, transition by transition.
package enum MaintenanceStatus: String, Sendable, Codable, CaseIterable {
  /// Reported, not started.
  case pending
  /// Being worked on.
  case inProgress = "in_progress"
  /// Done.
  case completed

  /// The actions on an entry.
  package enum Action: String, Sendable, Codable, CaseIterable {
    /// Start the work.
    case start
    /// Return it to waiting.
    case pause
    /// Complete it.
    case complete
    /// Reopen it after completion.
    case reopen
  }

  /// The status category.
  package var category: StateCategory {
    switch self {
    case .pending: .open
    case .inProgress: .active
    case .completed: .done
    }
  }

  /// The actions possible in this status.
  package var actions: [Action] { Action.allCases.filter { self[$0] != nil } }

  /// Returns the status that an action leads to; nil if it is not possible.
  package subscript(action: Action) -> MaintenanceStatus? {
    switch (self, action) {
    case (.pending, .start), (.completed, .reopen): .inProgress
    case (.inProgress, .pause): .pending
    case (.inProgress, .complete): .completed
    default: nil
    }
  }

  /// Returns the status after an action; the error names the possible actions.
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
