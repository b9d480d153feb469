internal import Domain
internal import Postgres

/// Runs an app's SQL, statement by statement, behind the fence.
struct AppScripts {
  private let package: AppPackage
  private let pending: [Migration]
  /// The report views that the installed version declares; the new one may drop them.
  private let installedReports: [String]

  init(_ package: AppPackage, pending: [Migration], installedReports: [String]) {
    self.package = package
    self.pending = pending
    self.installedReports = installedReports
  }

  /// What can be refused without running anything.
  static func refusals(of package: AppPackage, pending: [Migration]) -> [ManifestDiagnostic] {
    let whole = pending.filter { !$0.isTransactional }.map { migration in
      ManifestDiagnostic(
        .transactionControl,
        migration.path,
        "The file asks to run outside a transaction",
        "Take the mark out: an app is installed in one transaction."
      )
    }
    return whole
      + statements(package, pending).flatMap { file in
        file.statements.compactMap { StatementRule.refusal(of: $0, at: "\(file.path):\($0.line)") }
      }
  }

  /// Runs the pending migrations, and makes the views anew if they have files of their own.
  func run(_ tx: Transaction) throws {
    let manifest = package.manifest
    let refusals = Self.refusals(of: package, pending: pending)
    guard refusals.isEmpty else { throw AppRefusal.error(.refusedSQL, app: manifest.app, refusals) }
    // Else what is written could not be told.
    guard try tx.value("select current_setting('track_counts')::boolean", as: Bool.self) else {
      throw DomainError(.unavailable, "track_counts is off", hint: "switch it on in postgresql.conf")
    }
    let reports = Set(manifest.reportViews + installedReports).sorted()
    let fence = try AppFence(app: manifest.app, schema: manifest.schema, reportViews: reports, tx)
    if !package.views.isEmpty { try dropViews(reports, tx) }
    var durations: [String: Duration] = [:]
    for file in Self.statements(package, pending) {
      let start = ContinuousClock.now
      // Again, because a migration of before there were view files may have made some.
      if file.makesViews, file.isFirstOfViews { try dropViews(reports, tx) }
      for statement in file.statements { try run(statement, of: file, fence, tx) }
      durations[file.path] = start.duration(to: .now)
    }
    try fence.checkCatalogue(tx)
    for migration in pending { try Migrator.record(migration, took: durations[migration.path] ?? .zero, tx) }
  }

  private func run(_ statement: ScriptStatement, of file: File, _ fence: AppFence, _ tx: Transaction) throws {
    let path = "\(file.path):\(statement.line)"
    do {
      try tx.execute(SQL(trusted: statement.text))
    } catch {
      switch error.sqlState {
      case nil, .lockNotAvailable?, .deadlockDetected?, .queryCanceled?:
        throw error  // of the moment, not of the statement
      case .insufficientPrivilege?:
        let refusal = StatementRule.refusal(unprivileged: statement, reason: error.message, at: path)
        throw AppRefusal.error(.refusedSQL, app: package.manifest.app, refusal)
      case let state?:
        throw DomainError.scriptFailed(
          app: package.manifest.app,
          path: path,
          sqlState: state.rawValue,
          reason: error.message
        )
      }
    }
    try fence.check(after: path, tx)
  }

  /// Drops the app's views in one statement, so that it does not matter which of them reads which.
  private func dropViews(_ reports: [String], _ tx: Transaction) throws {
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
      try tx.execute("drop view \(SQL.joined(names, separator: ", "))")
    } catch {
      guard error.sqlState?.rawValue == "2BP01" else { throw error }
      throw DomainError(
        .stillReferenced,
        "views of another app read views of \(package.manifest.app): \(error.message)",
        hint: "let them read its tables; views are made anew by every installation"
      )
    }
  }

  private struct File {
    let path: String
    let makesViews: Bool
    let isFirstOfViews: Bool
    let statements: [ScriptStatement]
  }

  private static func statements(_ package: AppPackage, _ pending: [Migration]) -> [File] {
    pending.map { migration in
      File(
        path: migration.path,
        makesViews: false,
        isFirstOfViews: false,
        statements: StatementSplitter.split(migration.text)
      )
    }
      + package.views.enumerated().map { index, file in
        File(
          path: file.path,
          makesViews: true,
          isFirstOfViews: index == 0,
          statements: StatementSplitter.split(String(decoding: file.bytes, as: UTF8.self))
        )
      }
  }
}

extension AppManifest {
  /// The names of its views in the schema `report`.
  var reportViews: [String] {
    reports.filter { $0.view.hasPrefix("report.") }.map { String($0.view.dropFirst("report.".count)) }
  }
}

extension Migration {
  /// What messages call it: its number and name, however the file was called.
  package var path: String {
    let digits = String(number)
    return "\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)_\(name).sql"
  }
}
