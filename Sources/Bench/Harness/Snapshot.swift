internal import Postgres
internal import Synchronization

/// A repeatable read transaction that stays open, like that of a long report.
enum Snapshot {
  /// Runs a body while a snapshot of the database is held open.
  static func held<T: Sendable>(_ database: Database, during body: () async throws -> T) async throws -> T {
    let phase = Phase()
    let options = TransactionOptions(isolation: .repeatableRead, readOnly: true)
    async let _: Void = database.transaction(options) { tx in
      // The first statement takes the snapshot.
      try tx.execute("select count(*) from core.company")
      phase.isTaken.store(true, ordering: .sequentiallyConsistent)
      while !phase.isOver.load(ordering: .sequentiallyConsistent) { try tx.execute("select pg_sleep(0.05)") }
    }
    defer { phase.isOver.store(true, ordering: .sequentiallyConsistent) }
    while !phase.isTaken.load(ordering: .sequentiallyConsistent) {
      try await Task.sleep(for: .milliseconds(5))
    }
    return try await body()
  }

  private final class Phase: Sendable {
    let isTaken = Atomic(false)
    let isOver = Atomic(false)
  }
}
