/// Something wrong with an app: in its manifest, its workflows, its SQL, or what its SQL made.
package struct ManifestDiagnostic: Sendable, Hashable, Codable {
  /// What kind of mistake it is: one of ``Code``, or that of a ``WorkflowDiagnostic``; stable across releases.
  package let code: String
  /// Where: `types.maintenance.entry.edit[1].fields`, `tables.maintenance.entry`, `0001_tables.sql:12`.
  package let path: String
  /// What is wrong.
  package let message: String
  /// What to do about it.
  package let hint: String

  /// A mistake of an app.
  package init(_ code: Code, _ path: String, _ message: String, _ hint: String) {
    self.init(code: code.rawValue, path: path, message: message, hint: hint)
  }

  init(code: String, path: String, message: String, hint: String) {
    self.code = code
    self.path = path
    self.message = message
    self.hint = hint
  }

  /// The kinds of mistake that are not a workflow's.
  package enum Code: String, Sendable, CaseIterable {
    // The page of YAML.
    case duplicateName = "duplicate_name"
    case wrongPrefix = "wrong_prefix"
    case outsideSchema = "outside_schema"
    case schemaTaken = "schema_taken"
    case fileNotRead = "file_not_read"
    case unknownWorkflow = "unknown_workflow"
    case unusedWorkflow = "unused_workflow"
    case unknownPermission = "unknown_permission"
    case unknownField = "unknown_field"
    case notEditable = "not_editable"
    case columnTwice = "column_twice"
    case reservedColumn = "reserved_field"
    case unsaidColumn = "unsaid_column"
    case missingRelation = "missing_relation"
    case missingColumn = "missing_column"
    case unknownType = "unknown_type"
    case guardOverBudget = "guard_over_budget"
    case guardWithoutField = "guard_without_field"
    case guardUnparsable = "guard_unparsable"
    case guardNoPredicate = "guard_no_predicate"
    case unknownTransition = "unknown_transition"
    case transitionOfPeople = "transition_of_people"
    case unknownJob = "unknown_job"
    case invalidCron = "invalid_cron"
    case invalidZone = "invalid_zone"
    case invalidEntitlement = "invalid_entitlement"
    case invalidReport = "invalid_report"
    case typeRemoved = "type_removed"
    case workflowRemoved = "workflow_removed"

    // What the SQL says and does.
    case unknownFile = "unknown_file"
    case transactionControl = "transaction_control"
    case sessionSetting = "session_setting"
    case statementNotAllowed = "statement_not_allowed"
    case writesRows = "writes_rows"
    case changesOthers = "changes_others"

    // What the SQL made.
    case missingCompany = "missing_company_id"
    case missingBaseColumn = "missing_base_column"
    case keyNotLed = "key_not_led_by_company"
    case uniqueNotLed = "unique_not_led_by_company"
    case foreignKeyNotComposite = "foreign_key_not_composite"
    case foreignKeyNotLed = "foreign_key_not_led_by_company"
    case foreignKeyActs = "foreign_key_acts"
    case foreignKeyWithoutIndex = "foreign_key_without_index"
    case viewNotInvoker = "view_not_invoker"
    case viewWithoutColumn = "view_without_column"
    case viewReadsSecret = "view_reads_secret"
    case reportReadsView = "report_reads_view"
    case relationNotAllowed = "relation_not_allowed"
    case functionNotAllowed = "function_not_allowed"
    case triggerNotAllowed = "trigger_not_allowed"
    case policyNotAllowed = "policy_not_allowed"
    case grantNotAllowed = "grant_not_allowed"
    case rowSecurityDisabled = "row_security_disabled"
  }
}

extension ManifestDiagnostic: CustomStringConvertible {
  /// One line for a terminal.
  package var description: String { "\(path): \(code): \(message). \(hint)" }
}
