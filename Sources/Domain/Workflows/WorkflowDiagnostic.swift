/// A fault that the static analysis of a workflow finds.
package struct WorkflowDiagnostic: Sendable, Hashable, Codable {
  /// The code of the finding; stable across releases.
  package let code: Code
  /// The position in the file, such as `transitions.start.to`.
  package let path: String
  /// The fault.
  package let message: String
  /// The change that resolves the finding.
  package let hint: String

  /// Creates a diagnostic.
  package init(code: Code, path: String, message: String, hint: String) {
    self.code = code
    self.path = path
    self.message = message
    self.hint = hint
  }

  /// The codes of findings about a workflow.
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
    case missingWayBack = "missing_way_back"
    case stateNamedInSQL = "state_named_in_sql"
    case testFailed = "test_failed"
    // Faults of a guard that PostgreSQL finds.
    case guardUnparsable = "guard_unparsable"
    case guardNoPredicate = "guard_no_predicate"
    // Faults of an overlay that would loosen the workflow.
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
  /// The finding in one line.
  package var description: String { "\(path): \(code.rawValue): \(message). \(hint)" }
}

/// The facts against which a workflow is checked. A check whose facts are nil is left out.
package struct WorkflowContext: Sendable {
  /// The columns of the table. Transitions may set and require them.
  package var tableColumns: Set<String>?
  /// The columns of the view. Guards may read them.
  package var viewColumns: Set<String>?
  /// The permissions that transitions may require.
  package var permissions: Set<Permission>?
  /// The permissions of each role, by its name.
  package var roles: [String: PermissionSet]?
  /// The kinds of job that effects may enqueue.
  package var jobs: Set<String>?
  /// The names of the notice templates.
  package var templates: Set<String>?
  /// The names of the guard messages.
  package var messages: Set<String>?
  /// The record types that effects may create records of.
  package var types: Set<String>?
  /// The active version of the workflow.
  package var previous: WorkflowDefinition?

  /// Creates a context without facts: only the definition itself is checked.
  package init() {}
}
