internal import Domain
package import Postgres

/// Brings a database up to the schema that this binary carries.
///
/// Each file runs in a transaction of its own as `fettle_owner`, with `row_security = off`: under FORCE row
/// security that turns "silently no rows" into an error, so a data migration cannot skip what it cannot see. An
/// advisory lock makes two migrators at once do the work once.
package struct Migrator: Sendable {
  /// What the migrator tells while it works.
  package enum Event: Sendable {
    case waitingForAnother
    case applying(Migration)
    case applied(Migration, milliseconds: Int)
  }

  /// The key of the advisory lock; the number spells "fettle" in ASCII.
  static let lockKey: Int64 = 0x6665_7474_6c65

  private let database: Database

  /// - Parameter database: connected as a login that may `set role fettle_owner`.
  package init(_ database: Database) {
    self.database = database
  }

  /// What ``migrate(_:report:)`` would run.
  package func plan(_ sets: [[Migration]]) async throws -> [Migration] {
    try await database.session { session in
      try sets.flatMap { try MigrationPlan(files: $0, applied: Self.applied($0, in: session)).pending }
    }
  }

  /// Runs what is pending, in order.
  ///
  /// - Parameter sets: the migrations of core and of further schemas, each set numbered from 1.
  /// - Returns: what was run.
  @discardableResult
  package func migrate(
    _ sets: [[Migration]],
    report: @escaping @Sendable (Event) -> Void = { _ in }
  ) async throws -> [Migration] {
    try await database.session { session in
      try Self.lock(session, report: report)
      // If this fails, closing the session releases it too.
      defer { _ = try? session.execute("select pg_advisory_unlock(\(Self.lockKey))") }
      var done: [Migration] = []
      for set in sets {
        let plan = try MigrationPlan(files: set, applied: Self.applied(set, in: session))
        for migration in plan.pending {
          report(.applying(migration))
          let start = ContinuousClock.now
          try Self.apply(migration, in: session)
          let elapsed = start.duration(to: .now)
          report(.applied(migration, milliseconds: Int(elapsed / .milliseconds(1))))
          done.append(migration)
        }
      }
      return done
    }
  }

  private static func lock(_ session: Session, report: (Event) -> Void) throws {
    if try session.value("select pg_try_advisory_lock(\(lockKey))", as: Bool.self) == true { return }
    report(.waitingForAnother)
    try session.execute("select pg_advisory_lock(\(lockKey))")
  }

  private static func applied(_ set: [Migration], in session: Session) throws -> [MigrationPlan.Applied] {
    try set.first.map { try applied(app: $0.app, in: session) } ?? []
  }

  /// The migrations of one app that the database has.
  static func applied(app: String, in session: Session) throws -> [MigrationPlan.Applied] {
    guard
      try session.value("select to_regclass('core.migration') is not null", as: Bool.self) == true
    else { return [] }
    return try session.rows(
      "select number, name, checksum from core.migration where app = \(app) order by number",
      Int.self,
      String.self,
      [UInt8].self
    ).map { MigrationPlan.Applied(app: app, number: $0.0, name: $0.1, checksum: $0.2) }
  }

  /// The same, asked within a transaction.
  static func applied(app: String, _ tx: Transaction) throws -> [MigrationPlan.Applied] {
    try tx.rows(
      "select number, name, checksum from core.migration where app = \(app) order by number",
      Int.self,
      String.self,
      [UInt8].self
    ).map { MigrationPlan.Applied(app: app, number: $0.0, name: $0.1, checksum: $0.2) }
  }

  private static func apply(_ migration: Migration, in session: Session) throws {
    guard migration.isTransactional else {
      let start = ContinuousClock.now
      try session.execute("set role fettle_owner")
      defer { _ = try? session.execute("reset role") }  // the session ends here if this fails
      try execute(migration) { try session.execute($0) }
      try record(migration, took: start.duration(to: .now)) { try session.execute($0) }
      return
    }
    try session.transaction { tx in
      try becomeOwner(tx)
      try run(migration, tx)
    }
  }

  /// Gives a transaction the rights and the settings in which schemas are changed.
  static func becomeOwner(_ tx: Transaction) throws {
    try tx.execute("set local role fettle_owner")
    try tx.execute("set local row_security = off")
    try tx.execute("set local lock_timeout = '5s'")
    try tx.execute("set local timezone = 'UTC'")
  }

  private static func run(_ migration: Migration, _ tx: Transaction) throws {
    let start = ContinuousClock.now
    try execute(migration) { try tx.execute($0) }
    try record(migration, took: start.duration(to: .now)) { try tx.execute($0) }
  }

  /// Notes that a migration's statements ran, in the transaction that runs them.
  static func record(_ migration: Migration, took duration: Duration, _ tx: Transaction) throws {
    try record(migration, took: duration) { try tx.execute($0) }
  }

  private static func execute(_ migration: Migration, _ execute: (SQL) throws -> Void) throws {
    for statement in StatementSplitter.split(migration.text) {
      do {
        try execute(SQL(trusted: statement.text))
      } catch let error as PostgresError {
        throw DomainError.migrationFailed(
          app: migration.app,
          number: migration.number,
          name: migration.name,
          line: statement.line,
          sqlState: error.sqlState?.rawValue,
          reason: error.message
        )
      }
    }
  }

  private static func record(
    _ migration: Migration,
    took duration: Duration,
    execute: (SQL) throws -> Void
  ) throws {
    let milliseconds = Int(duration / .milliseconds(1))
    try execute(
      """
      insert into core.migration (app, number, name, checksum, applied_at, duration_ms)
      values (\(migration.app), \(migration.number), \(migration.name), \(migration.checksum), now(), \(milliseconds))
      """
    )
  }
}
