/// The most that each role may reach, by verb and table: the first rule that fits decides, and everything
/// without a rule is refused.
///
/// The rules say what isolation allows, not what is granted: a narrower grant is no fault. But a rule that no
/// table of the installation exhausts is one too many, and a test reports it.
enum AccessRules {
  struct Rule: Sendable, CustomStringConvertible {
    let role: Substring
    let verbs: Set<Substring>
    let tables: Set<Substring>
    let reach: Reach
    let description: String

    func fits(_ role: String, _ verb: Verb, _ relation: Relation) -> Bool {
      self.role == role && verbs.contains(verb.rawValue[...])
        && tables.contains { pattern in
          switch pattern {
          case "*": true
          case "views": relation.kind == "view"
          case "records": relation.holdsRecords
          case "companies": relation.isOfCompanies
          case "global": !relation.isOfCompanies
          case _ where pattern.hasSuffix("*"): relation.description.hasPrefix(pattern.dropLast())
          default: relation.description == pattern
          }
        }
    }
  }

  /// The columns are separated by two spaces or more: role, verbs, tables, and the rows that they may reach.
  ///
  /// Tables are names, prefixes ending in `*`, or the words `records`, `companies` (rows of companies),
  /// `global` (any other table), `views` and `*`. A line with `partition` in front is about partitions, which
  /// other lines do not mention.
  private static let text = """
    # Owns the tables, and logs in nowhere. Row-level security is forced on it for rows, not for whole tables.
    fettle_owner  truncate lock  *  all
    fettle_owner  select copyTo insert upsert update move delete copyFrom  global  all
    fettle_owner  select copyTo insert upsert update move delete  companies  own

    # Owns the entry functions, and logs in nowhere: reads what must be known before a company is.
    fettle_auth  select copyTo  core.company core.app_user core.former_name core.membership  all
    fettle_auth  select copyTo  core.api_token core.invite_locator core.report_login core.schedule  all
    fettle_auth  select copyTo insert upsert update move delete  core.job_*  all
    fettle_auth  select copyTo update delete  core.worker  all
    fettle_auth  select copyTo  global  all
    fettle_auth  select copyTo insert upsert update delete  companies  own

    # The operator: companies, people and jobs of all companies, records of one company at a time.
    fettle_admin  select copyTo insert upsert update  core.company core.app_user core.former_name  all
    fettle_admin  select copyTo insert upsert update delete  core.report_login  all
    fettle_admin  select copyTo  core.job_*  all
    fettle_admin  insert delete  core.invite_failure  all
    fettle_admin  select copyTo  global  all
    fettle_admin  select copyTo insert upsert update  companies  own

    # The server: one company at a time.
    fettle_app  insert  core.invite_failure  all
    fettle_app  select copyTo  global  all
    fettle_app  select copyTo insert upsert update  companies  own

    # The workers: as the server, and the control rows of all companies' timers and schedules.
    fettle_worker  select copyTo update delete  core.timer  all
    fettle_worker  select copyTo update  core.schedule  all
    fettle_worker  select copyTo insert upsert update delete  core.worker  all
    fettle_worker  select copyTo  global  all
    fettle_worker  select copyTo insert upsert update  companies  own

    # Reports: of all companies, and of one.
    fettle_report  select copyTo  report.*  all
    reporter  select copyTo  report.v1_worker report.v1_report  all
    reporter  select copyTo  report.*  own

    # Reads everything for pg_dump.
    fettle_backup  select copyTo  *  all
    """

  static let rules: [Rule] = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
    let cells = line.split(separator: "  ").map { $0.split(separator: " ") }
    precondition(cells.count == 4, "four columns: \(line)")
    let reach: Reach? = ["own": .own, "all": .all][cells[3][0]]
    return Rule(
      role: cells[0][0],
      verbs: Set(cells[1]),
      tables: Set(cells[2]),
      reach: reach ?? .nothing,
      description: String(line)
    )
  }

  /// The roles that have a rule.
  static let roles = Set(rules.map { String($0.role) })

  /// Returns the rule for a cell; nil if it must be refused.
  static func rule(_ role: String, _ verb: Verb, _ relation: Relation) -> Int? {
    rules.firstIndex { $0.fits(role, verb, relation) }
  }
}
