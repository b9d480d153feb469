internal import Domain
internal import Postgres

/// Runs an app's SQL statement by statement.
///
/// The SQL of an app of this binary runs as `fettle_owner`, like the engine's own. All other SQL runs as
/// ``AppAuthor``, behind the fence. The tests install the apps of this binary in this way too.
struct AppScripts {
  private let package: AppPackage
  private let pending: [Migration]
  /// The report views of the installed version, which the new version may drop.
  private let installedReports: [String]

  init(_ package: AppPackage, pending: [Migration], installedReports: [String]) {
    self.package = package
    self.pending = pending
    self.installedReports = installedReports
  }

  /// Returns the findings about an app's SQL that need no execution.
  static func refusals(of package: AppPackage, pending: [Migration]) -> [ManifestDiagnostic] {
    let whole = pending.filter { !$0.isTransactional }.map { migration in
      ManifestDiagnostic(
        .transactionControl,
        migration.path,
        "the file begins with -- no transaction",
        "remove this line: an app is installed in one transaction"
      )
    }
    let owned = package.routines.filter { $0.header.owner != "fettle_owner" || !$0.header.select.isEmpty }
      .map { routine in
        ManifestDiagnostic(
          .grantNotAllowed,
          routine.path,
          "the header names an owner or readers",
          "remove the line: the installer grants rights on views, and functions belong to fettle_owner"
        )
      }
    return package.faults + whole + owned
      + pending.flatMap { file in
        StatementSplitter.split(file.text).compactMap { statement in
          StatementRule.refusal(of: statement, at: "\(file.path):\(statement.line)")
        }
      }
  }

  /// Applies pending tables and changes, then functions and views.
  ///
  /// Every installation drops and recreates the app's views, so that a change may alter the columns that they
  /// read.
  ///
  /// - Throws: `refused_sql` with the findings, `migration_failed` for a statement that PostgreSQL rejects,
  ///   `still_referenced` if other views or functions read the app's views, `unavailable` if the server does
  ///   not track counts.
  func run(_ tx: Transaction) throws -> SchemaPlan {
    let manifest = package.manifest
    let refusals = Self.refusals(of: package, pending: pending)
    guard refusals.isEmpty else { throw AppRefusal.error(.refusedSQL, app: manifest.app, refusals) }
    // Without statistics, the rows written by a statement cannot be detected.
    guard try tx.value("select current_setting('track_counts')::boolean", as: Bool.self) else {
      throw DomainError(.unavailable, "track_counts is off", hint: "set it to on in postgresql.conf")
    }
    let reports = Set(manifest.reportViews + installedReports).sorted()
    let author = package.isEmbedded ? nil : try AppAuthor(manifest, reads: package.readableColumns, tx)
    let fence =
      package.isEmbedded
      ? nil : try AppFence(app: manifest.app, schema: manifest.schema, reportViews: reports, tx)
    try dropViews(reports, tx)
    var durations: [String: Duration] = [:]
    var early = try EarlyRoutines(package.routines, tx)
    try author?.lend(tables: QualifiedNames.all(in: pending), tx)
    for file in pending {
      let start = ContinuousClock.now
      for statement in StatementSplitter.split(file.text) {
        for routine in try early.needed(by: statement) { try run(routine, author, fence, tx) }
        try run(statement, of: file.path, author, fence, tx)
      }
      durations[file.path] = start.duration(to: .now)
    }
    // Again, because a change may create views.
    try dropViews(reports, by: author, tx)
    let plan = try RoutineStore.plan(package.routines, app: manifest.app, tx)
    try RoutineStore.drop(plan, tx)
    try author?.lend(functions: plan.applied.map(\.qualifiedName), tx)
    for routine in plan.applied { try run(routine, author, fence, tx) }
    try author?.adopt(tx)
    try fence?.checkCatalogue(tx)
    for migration in pending { try Migrator.record(migration, took: durations[migration.path] ?? .zero, tx) }
    try RoutineStore.record(early.applied + plan.applied, tx)
    return SchemaPlan(app: manifest.app, migrations: pending, routines: plan.steps)
  }

  private func run(_ routine: Routine, _ author: AppAuthor?, _ fence: AppFence?, _ tx: Transaction) throws {
    let place = "\(routine.path):\(routine.statements[0].line)"
    do {
      try RoutineStore.execute(routine, by: author, tx)
    } catch let error as RoutineStore.StatementError {
      let statement = routine.statements.first { $0.line == error.line } ?? routine.statements[0]
      throw refusal(of: statement, of: routine.path, error.cause)
    }
    try author?.check(after: place, tx)
    try fence?.check(after: place, tx)
  }

  private func run(
    _ statement: ScriptStatement,
    of path: String,
    _ author: AppAuthor?,
    _ fence: AppFence?,
    _ tx: Transaction
  ) throws {
    let place = "\(path):\(statement.line)"
    do {
      switch author {
      case nil: try tx.execute(SQL(trusted: statement.text))
      case let author? where StatementRule.writes(statement): try author.write(statement.text, at: place, tx)
      case let author?: try author.execute(statement.text, tx)
      }
    } catch let error as PostgresError {
      throw refusal(of: statement, of: path, error)
    }
    try author?.check(after: place, tx)
    try fence?.check(after: place, tx)
  }

  /// Returns the error for a statement that PostgreSQL rejected.
  private func refusal(of statement: ScriptStatement, of path: String, _ error: PostgresError) -> any Error {
    let fault = ScriptFault(error, in: statement)
    let place = "\(path):\(fault.line)"
    switch error.sqlState {
    case nil, .lockNotAvailable?, .deadlockDetected?, .queryCanceled?:
      return error  // a temporary failure, not an error in the statement
    case .insufficientPrivilege?:
      let refusal = StatementRule.refusal(unprivileged: statement, reason: fault.reason, at: place)
      return AppRefusal.error(.refusedSQL, app: package.manifest.app, refusal)
    case let state?:
      return DomainError.scriptFailed(
        app: package.manifest.app,
        path: place,
        sqlState: state.rawValue,
        reason: fault.reason,
        advice: fault.advice
      )
    }
  }

  /// Drops the app's views in one statement, so that their dependencies on each other do not matter.
  ///
  /// - Parameter author: the owner of the views; nil for `fettle_owner`.
  private func dropViews(_ reports: [String], by author: AppAuthor? = nil, _ tx: Transaction) throws {
    let views = try tx.rows(
      """
      select n.nspname::text, c.relname::text
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'v'
        and (n.nspname = \(package.manifest.schema) or n.nspname = 'report' and c.relname = any (\(reports)))
      order by 1, 2
      """,
      String.self,
      String.self
    )
    guard !views.isEmpty else { return }
    let names = views.map { "\(identifier: $0.0, $0.1)" as SQL }
    do {
      let drop: SQL = "drop view \(SQL.joined(names, separator: ", "))"
      if let author { try author.execute(drop.text, tx) } else { try tx.execute(drop) }
    } catch {
      guard error.sqlState?.rawValue == "2BP01" else { throw error }
      throw DomainError(
        .stillReferenced,
        "views of another app, or functions, read views of \(package.manifest.app): \(error.message)",
        hint: "let them read the tables: every installation drops the views and creates them again"
      )
    }
  }
}

extension AppManifest {
  /// The names of the app's views in the schema `report`, without the schema.
  package var reportViews: [String] {
    reports.filter { $0.view.hasPrefix("report.") }.map { String($0.view.dropFirst("report.".count)) }
  }
}
