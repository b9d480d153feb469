internal import Domain
package import Postgres

/// Migrates a database to the schema that this binary carries.
///
/// Everything runs as `fettle_owner`. Tables and transactional changes run with `row_security = off`: with
/// forced row-level security, a statement then fails instead of silently skipping rows that it cannot see.
/// All pending tables are created in one transaction, each later change in its own, and all functions and
/// views in one. An advisory lock serialises concurrent migrators, so that the work is done once.
package struct Migrator: Sendable {
  /// Progress of a migration, for reports.
  package enum Event: Sendable {
    case waitingForAnother
    case applying(Migration)
    case applied(Migration, milliseconds: Int)
    case appliedRoutines(app: String, count: Int, milliseconds: Int)
  }

  /// The key of the advisory lock; the number spells "fettle" in ASCII.
  static let lockKey: Int64 = 0x6665_7474_6c65

  private let database: Database

  /// - Parameter database: connected as a login that may `set role fettle_owner`.
  package init(_ database: Database) {
    self.database = database
  }

  /// Returns the plan that ``migrate(_:report:)`` would apply.
  package func plan(_ files: SchemaFiles) async throws -> SchemaPlan {
    try await database.transaction { tx in
      let pending = try MigrationPlan(files: files.migrations, applied: Self.applied(app: files.app, tx))
        .pending
      return try SchemaPlan(
        app: files.app,
        migrations: pending,
        routines: RoutineStore.plan(files.routines, app: files.app, tx).steps
      )
    }
  }

  /// Applies all pending files.
  ///
  /// - Returns: the applied files.
  /// - Throws: the errors of ``MigrationPlan``, and `migration_failed` with the file and the line if a
  ///   statement fails.
  @discardableResult
  package func migrate(
    _ files: SchemaFiles,
    report: @escaping @Sendable (Event) -> Void = { _ in }
  ) async throws -> SchemaPlan {
    try await database.session { session in
      try Self.lock(session, report: report)
      // If this fails, the end of the session releases the lock.
      defer { _ = try? session.execute("select pg_advisory_unlock(\(Self.lockKey))") }
      let pending = try session.transaction { tx in
        try MigrationPlan(files: files.migrations, applied: Self.applied(app: files.app, tx)).pending
      }
      let tables = pending.filter { $0.kind == .tables }
      var done = SchemaPlan(app: files.app, migrations: pending)
      var early: [Routine] = []
      if !tables.isEmpty {
        early = try session.transaction { tx in
          try Self.becomeOwner(tx)
          return try Self.make(tables, files.routines, report, tx)
        }
      }
      for change in pending where change.kind == .change { try Self.apply(change, in: session, report) }
      done.routines = try session.transaction { tx in
        try Self.becomeOwner(tx)
        let steps = try Self.apply(files, report, tx)
        if files.app == "core" { try Self.attachEraser(tx) }
        return steps
      }
      done.routines += early.map { RoutinePlan.Step(name: $0.qualifiedName, kind: $0.kind, action: .create) }
      return done
    }
  }

  private static func lock(_ session: Session, report: (Event) -> Void) throws {
    if try session.value("select pg_try_advisory_lock(\(lockKey))", as: Bool.self) == true { return }
    report(.waitingForAnother)
    try session.execute("select pg_advisory_lock(\(lockKey))")
  }

  /// Returns the applied files of one app.
  static func applied(app: String, _ tx: Transaction) throws -> [MigrationPlan.Applied] {
    guard try tx.value("select to_regclass('core.migration') is not null", as: Bool.self) else { return [] }
    return try tx.rows(
      "select kind, number, name, checksum from core.migration where app = \(app) order by kind, number",
      String.self,
      Int.self,
      String.self,
      [UInt8].self
    ).map {
      MigrationPlan.Applied(
        app: app,
        kind: Migration.Kind(rawValue: $0.0) ?? .change,
        number: $0.1,
        name: $0.2,
        checksum: $0.3
      )
    }
  }

  /// Sets the role and the settings for schema changes in a transaction.
  static func becomeOwner(_ tx: Transaction) throws {
    do {
      try tx.execute("set local role fettle_owner")
    } catch let error where error.sqlState == .insufficientPrivilege {
      throw DomainError(
        .unavailable,
        "this database login may not change the schema",
        hint: "connect as fettle_migrator"
      )
    }
    try tx.execute("set local row_security = off")
    try tx.execute("set local lock_timeout = '5s'")
    try tx.execute("set local timezone = 'UTC'")
    // Queries of the catalogue run once each; compiling them takes longer than running them.
    try tx.execute("set local jit = off")
  }

  /// Creates tables, and before each statement the functions that the statement calls.
  ///
  /// - Returns: these functions.
  private static func make(
    _ tables: [Migration],
    _ routines: [Routine],
    _ report: (Event) -> Void,
    _ tx: Transaction
  ) throws -> [Routine] {
    var early = try EarlyRoutines(routines, tx)
    for file in tables {
      report(.applying(file))
      let start = ContinuousClock.now
      for statement in StatementSplitter.split(file.text) {
        for routine in try early.needed(by: statement) { try RoutineStore.apply(routine, tx) }
        try execute(statement, of: file) { try tx.execute($0) }
      }
      let duration = start.duration(to: .now)
      try record(file, took: duration, tx)
      report(.applied(file, milliseconds: Int(duration / .milliseconds(1))))
    }
    try RoutineStore.record(early.applied, tx)
    return early.applied
  }

  private static func apply(_ change: Migration, in session: Session, _ report: (Event) -> Void) throws {
    report(.applying(change))
    let start = ContinuousClock.now
    if change.isTransactional {
      try session.transaction { tx in
        try becomeOwner(tx)
        try execute(change) { try tx.execute($0) }
        try record(change, took: start.duration(to: .now), tx)
      }
    } else {
      try session.execute("set role fettle_owner")
      defer { _ = try? session.execute("reset role") }  // if this fails, the session ends
      try execute(change) { try session.execute($0) }
      try session.execute(recording(change, took: start.duration(to: .now)))
    }
    report(.applied(change, milliseconds: Int(start.duration(to: .now) / .milliseconds(1))))
  }

  /// Lets erasures reach the tables that were added.
  private static func attachEraser(_ tx: Transaction) throws {
    // A schema of a test may lack the function.
    guard try tx.value("select to_regprocedure('core.attach_eraser()') is not null", as: Bool.self) else {
      return
    }
    try tx.execute("select core.attach_eraser()")
  }

  private static func apply(
    _ files: SchemaFiles,
    _ report: (Event) -> Void,
    _ tx: Transaction
  ) throws -> [RoutinePlan.Step] {
    let start = ContinuousClock.now
    let plan = try RoutineStore.plan(files.routines, app: files.app, tx)
    guard !plan.isEmpty else { return [] }
    try RoutineStore.drop(plan, tx)
    for routine in plan.applied { try RoutineStore.apply(routine, tx) }
    try RoutineStore.record(plan.applied, tx)
    let milliseconds = Int(start.duration(to: .now) / .milliseconds(1))
    report(.appliedRoutines(app: files.app, count: plan.steps.count, milliseconds: milliseconds))
    return plan.steps
  }

  private static func execute(_ migration: Migration, _ execute: (SQL) throws -> Void) throws {
    for statement in StatementSplitter.split(migration.text) {
      try Self.execute(statement, of: migration, execute)
    }
  }

  private static func execute(
    _ statement: ScriptStatement,
    of migration: Migration,
    _ execute: (SQL) throws -> Void
  ) throws {
    do {
      try execute(SQL(trusted: statement.text))
    } catch let error as PostgresError {
      throw DomainError.migrationFailed(
        migration,
        line: statement.line,
        sqlState: error.sqlState?.rawValue,
        reason: ScriptFault(error, in: statement).reason
      )
    }
  }

  /// Records an applied file in the transaction that applies the file.
  static func record(_ migration: Migration, took duration: Duration, _ tx: Transaction) throws {
    try tx.execute(recording(migration, took: duration))
  }

  private static func recording(_ migration: Migration, took duration: Duration) -> SQL {
    """
    insert into core.migration (app, kind, number, name, checksum, applied_at, duration_ms)
    values (\(migration.app), \(migration.kind.rawValue), \(migration.number), \(migration.name), \(migration.checksum),
      now(), \(Int(duration / .milliseconds(1))))
    """
  }
}
