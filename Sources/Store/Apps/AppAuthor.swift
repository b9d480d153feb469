internal import Domain
internal import Postgres

/// Runs the SQL of an app that is not part of this program.
///
/// Each statement runs with the rights of `fettle_author`, a role that may read no row, owns nothing but the
/// function that runs the statement, and may not write PL/pgSQL. For the time of the installation it owns the
/// app's schema, and those tables and functions that the SQL changes. Afterwards ``AuthorRule`` checks what
/// was created, before anything runs it with other rights, and `fettle_owner` becomes the owner.
struct AppAuthor {
  private let app: String
  private let schema: String
  private let subject: AuthorRule.Subject
  /// The policies of the app's tables before its SQL runs.
  private let policies: [String]
  /// The definition of the function that runs the statements, which its owner could change.
  private let runner: String

  /// Lends the app's schema to `fettle_author`. A statement may take a minute.
  ///
  /// - Parameter reads: the columns of the schema core that the app's views and functions may read.
  init(_ manifest: AppManifest, reads: [String], _ tx: Transaction) throws {
    subject = AuthorRule.Subject(manifest, reads: reads)
    app = manifest.app
    schema = manifest.schema
    policies = try Self.policies(manifest.schema, tx)
    runner = try Self.runner(tx)
    try tx.execute("set local statement_timeout = '60s'")
    if try tx.value("select to_regnamespace(quote_ident(\(schema))) is not null", as: Bool.self) {
      try tx.execute("alter schema \(identifier: schema) owner to fettle_author")
      try keepUse(tx)
    }
  }

  /// Lets the owner still name the objects of the schema, which the installation does.
  private func keepUse(_ tx: Transaction) throws(PostgresError) {
    let keep = "grant usage, create on schema \"\(schema)\" to fettle_owner"
    try tx.execute("select core.run_as_author(\(keep)::text)")
  }

  /// Lends the app's tables among some names, and the tables of its indexes. Each is locked until the end of
  /// the transaction, so the SQL changes only tables that it names without quotes.
  func lend(tables names: Set<String>, _ tx: Transaction) throws {
    let tables = try tx.rows(
      """
      select distinct t.relname::text
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      left join pg_index i on i.indexrelid = c.oid
      join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
      where n.nspname = \(schema) and t.relkind in ('r', 'p')
        and n.nspname || '.' || c.relname = any (\(names.sorted()))
      order by 1
      """,
      String.self
    )
    for table in tables {
      try tx.execute("alter table \(identifier: schema, table) owner to fettle_author")
    }
  }

  /// Lends those of the given functions that exist, so that the SQL can replace them.
  func lend(functions names: [String], _ tx: Transaction) throws {
    let functions = try tx.rows(
      """
      select p.proname::text
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = \(schema) and n.nspname || '.' || p.proname = any (\(names))
      """,
      String.self
    )
    for function in functions {
      try tx.execute("alter function \(identifier: schema, function) owner to fettle_author")
    }
  }

  /// Runs a statement with the author's rights. The author may not create schemas, so its own is created for
  /// it.
  func execute(_ statement: String, _ tx: Transaction) throws(PostgresError) {
    let words = statement.split { $0 == " " || $0.isNewline || $0 == "\t" }.map { $0.lowercased() }
    if words == ["create", "schema", schema] {
      try tx.execute("create schema \(identifier: schema) authorization fettle_author")
      try keepUse(tx)
    } else {
      try tx.execute("select core.run_as_author(\(statement)::text)")
    }
  }

  /// Runs a statement that writes rows, after PostgreSQL has parsed it as the body of a function. So all
  /// functions that it calls are known before the first call.
  ///
  /// - Throws: `refused_sql` if it calls a function that apps may not call.
  func write(_ statement: String, at path: String, _ tx: Transaction) throws {
    let probe = "\(schema).fettle_probe()"
    try execute("create function \(probe) returns void language sql begin atomic \(statement); end", tx)
    let rule = AuthorRule.calls(subject)
    let findings = try tx.rows(rule.query, String.self, String.self)
      .filter { $0.0 == "\(schema).fettle_probe" }
      .map { ManifestDiagnostic(rule.code, path, "the statement \($0.1)", rule.hint) }
    guard findings.isEmpty else { throw AppRefusal.error(.refusedSQL, app: app, findings) }
    try execute("drop function \(probe)", tx)
    try execute(statement, tx)
  }

  /// Checks that a statement did not change the function that runs the next one.
  func check(after path: String, _ tx: Transaction) throws {
    guard try Self.runner(tx) != runner else { return }
    throw AppRefusal.error(
      .refusedSQL,
      app: app,
      ManifestDiagnostic(
        .changesOthers,
        path,
        "the statement changes core.run_as_author, which does not belong to the app",
        "change only the schema \(schema)"
      )
    )
  }

  /// Checks everything that the SQL created, and makes `fettle_owner` the owner of it.
  ///
  /// - Throws: `refused_sql` with the findings.
  func adopt(_ tx: Transaction) throws {
    var findings = try AuthorRule.all(subject).flatMap { rule in
      try tx.rows(rule.query, String.self, String.self).map { object, message in
        ManifestDiagnostic(rule.code, "tables.\(object)", "\(object) \(message)", rule.hint)
      }
    }
    let changed = Set(policies).symmetricDifference(try Self.policies(schema, tx)).sorted()
    findings += changed.map { policy in
      ManifestDiagnostic(
        .policyNotAllowed,
        "tables.\(policy.prefix { $0 != " " })",
        "the SQL creates, changes or drops a policy: \(policy)",
        "leave policies to the installer; scope: owner makes a type private"
      )
    }
    guard findings.isEmpty else { throw AppRefusal.error(.refusedSQL, app: app, findings) }
    try tx.execute("set local role fettle_installer")
    try tx.execute("select core.adopt_app()")
    try tx.execute("set local role fettle_owner")
    let left = try tx.rows(
      """
      select pg_describe_object(d.classid, d.objid, d.objsubid)
      from pg_shdepend d
      where d.refclassid = 'pg_authid'::regclass and d.refobjid = 'fettle_author'::regrole and d.deptype = 'o'
        and d.dbid = (select b.oid from pg_database b where b.datname = current_database())
        and not (d.classid = 'pg_proc'::regclass and d.objid = 'core.run_as_author(text)'::regprocedure)
        -- Set by the role script; the fence notices a change.
        and d.classid <> 'pg_default_acl'::regclass
      """,
      String.self
    )
    guard left.isEmpty else {
      throw AppRefusal.error(
        .refusedSQL,
        app: app,
        left.map {
          ManifestDiagnostic(
            .changesOthers,
            "sql",
            "the SQL creates \($0), which is not a table, view or function of the app",
            "create only tables, indexes, views and functions"
          )
        }
      )
    }
  }

  /// Returns the policies of the app's tables, in a form in which they can be compared.
  private static func policies(_ schema: String, _ tx: Transaction) throws -> [String] {
    try tx.rows(
      """
      select concat_ws(' ', p.polrelid::regclass, p.polname, p.polcmd, p.polpermissive, p.polroles::regrole[],
        pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
      from pg_policy p
      join pg_class c on c.oid = p.polrelid
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = \(schema)
      """,
      String.self
    )
  }

  private static func runner(_ tx: Transaction) throws -> String {
    try tx.value(
      "select p::text from pg_proc p where p.oid = to_regprocedure('core.run_as_author(text)')",
      as: String?.self
    ) ?? ""
  }
}
