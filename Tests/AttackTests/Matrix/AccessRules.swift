/// The most that each role may reach, by verb and table: the first rule that fits decides, and everything
/// without a rule is refused.
///
/// The rules say what isolation allows, not what is granted: a narrower grant is no fault. But a rule that no
/// table of the installation exhausts is one too many, and a test reports it.
enum AccessRules {
  struct Rule: Sendable, CustomStringConvertible {
    let roles: Set<Substring>
    let verbs: Set<Substring>
    let tables: Set<Substring>
    let reach: Reach
    let description: String

    func fits(_ role: String, _ verb: Verb, _ relation: Relation) -> Bool {
      roles.contains(role[...]) && verbs.contains(verb.rawValue[...])
        && tables.contains { pattern in
          switch pattern {
          case "*": true
          case "companies": relation.isOfCompanies
          case "global": !relation.isOfCompanies
          case "discarded": AccessRules.discarded.contains(relation.description)
          case _ where pattern.hasSuffix("*"): relation.description.hasPrefix(pattern.dropLast())
          default: relation.description == pattern
          }
        }
    }
  }

  /// The columns are separated by two spaces or more: roles, verbs, tables, and the rows that they may reach.
  ///
  /// Tables are names, prefixes ending in `*`, or words: `companies` for rows of companies, `global` for any
  /// other table, `discarded` for the list below, `*` for all. Partitions are tables of their own.
  private static let text = """
    # The owner logs in nowhere. Row-level security is forced on it for rows, but not for whole tables. The
    # installer of apps inherits its rights.
    fettle_owner fettle_installer  truncate lock  *  all
    fettle_owner fettle_installer  select copyTo insert upsert update delete copyFrom  global  all
    fettle_owner fettle_installer  select copyTo insert upsert update move delete  companies  own

    # The owner of the entry functions logs in nowhere. It reads what must be known before a company is.
    fettle_auth  select copyTo  core.company core.app_user core.former_name core.membership core.job*  all
    fettle_auth  select copyTo  core.api_token core.invite_locator core.report_login core.schedule  all
    fettle_auth  insert upsert update  core.app_user core.former_name  all
    # People sign up with a company of their own. Sessions and uses of tokens are those of all companies.
    fettle_auth  insert  core.company  all
    fettle_auth  select copyTo insert upsert update delete lock  core.session  all
    fettle_auth  update  core.api_token  all
    # It forgets steps of sign-ins, and removes identities and second factors.
    fettle_auth  insert upsert update delete lock  core.identity core.recovery_code core.second_factor core.sign_in  all
    # Mails with codes, and what is known about addresses, belong to people and not to companies.
    fettle_auth  insert upsert update delete lock  core.mail_request core.mail_token  all
    fettle_auth  insert upsert update lock  core.mail_profile  all
    # A person sets the language of their own mails; a policy compares the user.
    fettle_app  update  core.mail_profile  all
    # Rows of limits name nobody; the function that counts inserts them.
    fettle_auth  copyFrom  core.rate  all
    # After a restore it begins a new epoch of the data.
    fettle_auth  update  core.installation  all
    # It registers fingerprints of the key file, and replaces them for an operator.
    fettle_auth  insert upsert update delete lock copyFrom  core.installation_key  all
    # It forgets old idempotency keys.
    fettle_auth  select copyTo delete lock  core.idempotency  all
    # The totals of devices and of waiting changes for metrics are those of all companies.
    fettle_auth  select copyTo  core.device core.feed core.sync_item  all
    # It forgets ended uploads, removed blobs and confirmed changes, of one company at a time.
    fettle_auth  lock  core.blob core.sync_item core.upload  all
    fettle_auth  insert upsert update move delete lock  core.job_* core.worker core.invite_failure core.rate  all
    fettle_auth  select copyTo  global  all
    fettle_auth  select copyTo insert upsert update delete  companies  own

    # The owner of the functions that erase and import logs in nowhere. It reaches the company that its function has entered.
    fettle_eraser  select copyTo insert upsert update delete lock copyFrom  core.erasure  all
    # What belongs to people is of no company.
    fettle_eraser  select copyTo insert upsert delete lock  core.app_user  all
    fettle_eraser  insert upsert  core.former_name  all
    fettle_eraser  select copyTo delete lock  core.former_name core.identity core.recovery_code core.second_factor  all
    fettle_eraser  select copyTo delete lock  core.sign_in core.mail_profile core.mail_request core.mail_token core.invite_failure  all
    fettle_eraser  select copyTo  core.app core.record_type core.workflow_state  all
    fettle_eraser  lock  companies  all
    fettle_eraser  select copyTo insert upsert update move delete  companies  own

    # The operator: companies, people and jobs of all companies, records of one company at a time. A session of
    # the migrator begins as the operator.
    fettle_admin fettle_migrator  select copyTo insert upsert update  core.company core.app_user  all
    fettle_admin fettle_migrator  insert upsert update  core.mail_profile  all
    fettle_admin fettle_migrator  select copyTo  core.former_name core.job* report.v1_job report.v1_dead_job  all
    fettle_admin fettle_migrator  select copyTo insert upsert update move delete lock  core.report_login  all
    fettle_admin fettle_migrator  select copyTo insert delete lock  core.invite_failure  all
    fettle_admin fettle_migrator  select copyTo  global  all

    # The server: one company at a time.
    fettle_app  select copyTo  global  all

    # The workers: as the server, and the control rows of all companies' timers and schedules.
    fettle_worker  select copyTo update delete lock  core.timer  all
    fettle_worker  select copyTo update  core.schedule  all
    fettle_worker  select copyTo insert upsert update delete lock copyFrom  core.worker  all
    fettle_worker  select copyTo  global  all

    # All of them: rows of one company. The right to delete rows of a table includes the right to lock it.
    fettle_admin fettle_migrator fettle_app fettle_worker  delete  discarded  own
    fettle_admin fettle_migrator fettle_app fettle_worker  lock  discarded  all
    fettle_admin fettle_migrator fettle_app fettle_worker  select copyTo insert upsert update  companies  own

    # Reports: of all companies, and of one.
    fettle_report  select copyTo  report.*  all
    reporter  select copyTo  report.v1_worker report.v1_report  all
    reporter  select copyTo  report.*  own

    # Runs the SQL of apps. It copies the columns of the template of record tables, which never has rows.
    fettle_author  select copyTo  core.record_base  own

    # Reads everything for pg_dump.
    fettle_backup  select copyTo  *  all
    """

  /// The tables whose rows are deleted, because they are settings, control rows, or copies for a time.
  private static let discarded: Set = [
    "core.company_app", "core.feed", "core.idempotency", "core.import_file", "core.job_deferred",
    "core.job_end", "core.job_key", "core.job_stop", "core.mail_delivery", "core.quota", "core.role",
    "core.role_permission", "core.saved_view", "core.schedule", "core.timer", "core.webhook",
    "core.webhook_circuit", "core.webhook_delivery", "core.workflow_overlay", "solar.sample",
  ]

  static let rules: [Rule] = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
    let cells = line.replacing("  ", with: "\t").split(separator: "\t").map { $0.split(separator: " ") }
    precondition(cells.count == 4, "four columns: \(line)")
    return Rule(
      roles: Set(cells[0]),
      verbs: Set(cells[1]),
      tables: Set(cells[2]),
      reach: cells[3] == ["all"] ? .all : .own,
      description: String(line)
    )
  }

  /// The roles that have a rule.
  static let roles = Set(rules.flatMap(\.roles).map(String.init))

  /// Returns the index of the rule for a cell; nil if it must be refused.
  static func rule(_ role: String, _ verb: Verb, _ relation: Relation) -> Int? {
    rules.firstIndex { $0.fits(role, verb, relation) }
  }
}
