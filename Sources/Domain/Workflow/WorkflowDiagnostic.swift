/// A finding of the static analysis of a workflow.
package struct WorkflowDiagnostic: Sendable, Hashable, Codable {
  /// The code of the finding.
  package let code: Code
  /// The position in the file: `transitions.start.to`.
  package let path: String
  /// The message.
  package let message: String
  /// The hint: the change that resolves it.
  package let hint: String

  /// Creates a diagnostic.
  package init(code: Code, path: String, message: String, hint: String) {
    self.code = code
    self.path = path
    self.message = message
    self.hint = hint
  }

  /// The kinds of fault.
  package enum Code: String, Sendable, Codable, CaseIterable {
    case invalidName = "invalid_name"
    case duplicateName = "duplicate_name"
    case unknownState = "unknown_state"
    case unreachableState = "unreachable_state"
    case deadEnd = "dead_end"
    case noPathToFinal = "no_path_to_final"
    case finalStateLeft = "final_state_left"
    case emptyFrom = "empty_from"
    case missingPermission = "missing_permission"
    case systemPermission = "system_permission"
    case systemRequirement = "system_requirement"
    case unknownPermission = "unknown_permission"
    case noRoleCan = "no_role_can"
    case competingTransitions = "competing_transitions"
    case timerFiresUnknown = "timer_fires_unknown"
    case timerFiresElsewhere = "timer_fires_elsewhere"
    case timerFiresPerson = "timer_fires_person"
    case zeroDelayLoop = "zero_delay_loop"
    case unknownField = "unknown_field"
    case reservedField = "reserved_field"
    case guardOverBudget = "guard_over_budget"
    case unknownMessage = "unknown_message"
    case unknownTemplate = "unknown_template"
    case unknownJob = "unknown_job"
    case unknownType = "unknown_type"
    case unknownRole = "unknown_role"
    case missingMigration = "missing_migration"
    case testFailed = "test_failed"
    // Findings of PostgreSQL about a guard.
    case guardUnparsable = "guard_unparsable"
    case guardNoPredicate = "guard_no_predicate"
    // Overlays that loosen instead of tighten.
    case overlayOtherVersion = "overlay_other_version"
    case overlayNewTransition = "overlay_new_transition"
    case overlayNewState = "overlay_new_state"
    case overlayTouchesSystem = "overlay_touches_system"
    case overlayChangesRights = "overlay_changes_rights"
    case overlayChangesFourEyes = "overlay_changes_four_eyes"
    case overlayChangesWay = "overlay_changes_way"
    case overlayChangesOutcome = "overlay_changes_outcome"
    case overlayChangesState = "overlay_changes_state"
    case overlayLabel = "overlay_label"
    case overlayEnables = "overlay_enables"
    case overlayShorterComment = "overlay_shorter_comment"
    case overlayLongerTimer = "overlay_longer_timer"
    case overlayNewTimer = "overlay_new_timer"
  }
}

extension WorkflowDiagnostic: CustomStringConvertible {
  /// Formats the finding as one line for a terminal.
  package var description: String { "\(path): \(code.rawValue): \(message). \(hint)" }
}

/// The facts that a workflow is checked against; nil members are not checked.
package struct WorkflowContext: Sendable {
  /// The columns of the table, which transitions set and require.
  package var tableColumns: Set<String>?
  /// The columns of the view, which guards read.
  package var viewColumns: Set<String>?
  /// All existing permissions.
  package var permissions: Set<Permission>?
  /// The permissions of each role.
  package var roles: [String: PermissionSet]?
  /// The kinds of job that have a handler.
  package var jobs: Set<String>?
  /// The existing notice templates.
  package var templates: Set<String>?
  /// The existing guard messages.
  package var messages: Set<String>?
  /// The record types that can be created.
  package var types: Set<String>?
  /// The currently active version.
  package var previous: WorkflowDefinition?

  /// A context that checks only the definition itself.
  package init() {}
}
