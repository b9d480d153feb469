/// The status of a maintenance entry: a typed form of the workflow `maintenance.entry`.
///
/// The engine reads the workflow's file, not this type. A test compares their transitions.
package enum MaintenanceStatus: String, Sendable, Codable, CaseIterable {
  /// Reported or paused.
  case pending
  /// Being worked on.
  case inProgress = "in_progress"
  /// Done.
  case completed

  /// The actions on an entry.
  package enum Action: String, Sendable, Codable, CaseIterable {
    /// Start the work.
    case start
    /// Interrupt the work; the entry is pending again.
    case pause
    /// Complete the work.
    case complete
    /// Continue the work after completion.
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

  /// The actions that are possible in this status.
  package var actions: [Action] { Action.allCases.filter { self[$0] != nil } }

  /// Returns the status after an action; nil if the action is not possible.
  package subscript(action: Action) -> MaintenanceStatus? {
    switch (self, action) {
    case (.pending, .start), (.completed, .reopen): .inProgress
    case (.inProgress, .pause): .pending
    case (.inProgress, .complete): .completed
    default: nil
    }
  }

  /// Returns the status after an action.
  ///
  /// - Throws: `wrong_state` with the possible actions.
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
