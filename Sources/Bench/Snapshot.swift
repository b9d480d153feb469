internal import Postgres
internal import Synchronization

/// A repeatable read transaction that stays open, like that of a long report.
final class Snapshot: Sendable {
  private enum Phase { case none, taken, released }
  private let phase = Mutex(Phase.none)

  /// Runs a body while a snapshot of the database is held open.
  static func held<T: Sendable>(_ database: Database, during body: () async throws -> T) async throws -> T {
    let snapshot = Snapshot()
    async let holding: Void = snapshot.hold(database)
    do {
      while snapshot.phase.withLock({ $0 == .none }) { try await Task.sleep(for: .milliseconds(5)) }
      let value = try await body()
      snapshot.phase.withLock { $0 = .released }
      try await holding
      return value
    } catch {
      snapshot.phase.withLock { $0 = .released }
      throw error
    }
  }

  private func hold(_ database: Database) async throws {
    try await database.transaction(TransactionOptions(isolation: .repeatableRead, readOnly: true)) { tx in
      // The first statement takes the snapshot.
      try tx.execute("select count(*) from core.company")
      phase.withLock { $0 = .taken }
      while phase.withLock({ $0 != .released }) { try tx.execute("select pg_sleep(0.05)") }
    }
  }
}
