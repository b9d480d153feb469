/// A finding about an app: in its manifest, its workflows, its SQL, or the catalogue after its SQL ran.
package struct ManifestDiagnostic: Sendable, Hashable, Codable {
  /// The code of the finding, from ``Code`` or from ``WorkflowDiagnostic/Code``; stable across releases.
  package let code: String
  /// The position of the finding, such as `types.maintenance.entry.edit[1].fields`,
  /// `tables.maintenance.entry` or `tables/01_machines.sql:12`.
  package let path: String
  /// The fault.
  package let message: String
  /// The change that resolves the finding.
  package let hint: String

  /// Creates a finding with one of the codes below.
  package init(_ code: Code, _ path: String, _ message: String, _ hint: String) {
    self.init(code: code.rawValue, path: path, message: message, hint: hint)
  }

  package init(code: String, path: String, message: String, hint: String) {
    self.code = code
    self.path = path
    self.message = message
    self.hint = hint
  }

  /// The codes of findings that are not about a workflow.
  package enum Code: String, Sendable, CaseIterable {
    // Faults of the YAML file.
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
    case unmarkedPersonal = "unmarked_personal"
    case unknownWord = "unknown_word"
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
    case invalidLimit = "invalid_limit"
    case invalidNoun = "invalid_noun"
    case nounTaken = "noun_taken"
    case privateNumber = "private_number"
    case typeRemoved = "type_removed"
    case workflowRemoved = "workflow_removed"

    // Faults of the SQL statements.
    case unknownFile = "unknown_file"
    case transactionControl = "transaction_control"
    case sessionSetting = "session_setting"
    case statementNotAllowed = "statement_not_allowed"
    case writesRows = "writes_rows"
    case changesOthers = "changes_others"

    // Faults of the tables and views created by the SQL.
    case missingCompany = "missing_company_id"
    case missingBaseColumn = "missing_base_column"
    case baseColumnDiffers = "base_column_differs"
    case missingStatus = "missing_status"
    case statusRefused = "status_refused"
    case columnNeverSet = "column_never_set"
    case uncommented = "uncommented"
    case missingNumber = "missing_number"
    case keyNotLed = "key_not_led_by_company"
    case keyNotID = "key_not_id"
    case uniqueNotLed = "unique_not_led_by_company"
    case foreignKeyNotComposite = "foreign_key_not_composite"
    case foreignKeyNotLed = "foreign_key_not_led_by_company"
    case foreignKeyActs = "foreign_key_acts"
    case foreignKeyWithoutIndex = "foreign_key_without_index"
    case missingForeignKey = "missing_foreign_key"
    case foreignKeyElsewhere = "foreign_key_elsewhere"
    case undeclaredReference = "undeclared_reference"
    case viewNotInvoker = "view_not_invoker"
    case viewWithoutColumn = "view_without_column"
    case viewColumnDiffers = "view_column_differs"
    case viewReadsSecret = "view_reads_secret"
    case readsOthers = "reads_others"
    case reportReadsView = "report_reads_view"
    case relationNotAllowed = "relation_not_allowed"
    case functionNotAllowed = "function_not_allowed"
    case triggerNotAllowed = "trigger_not_allowed"
    case policyNotAllowed = "policy_not_allowed"
    case grantNotAllowed = "grant_not_allowed"
    case rowSecurityDisabled = "row_security_disabled"
    case statementFails = "statement_fails"
  }
}

extension ManifestDiagnostic: CustomStringConvertible {
  /// The finding in one line.
  package var description: String { "\(path): \(code): \(message). \(hint)" }
}
