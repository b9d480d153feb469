internal import Postgres
internal import Synchronization

/// A transaction that has an id and stays open, like that of a long import in another company.
final class OpenTransaction: Sendable {
  private enum Phase { case none, open, ended }
  private let phase = Mutex(Phase.none)

  /// Runs a body while the transaction is open.
  static func held<T: Sendable>(_ database: Database, during body: () async throws -> T) async throws -> T {
    let transaction = OpenTransaction()
    async let holding: Void = transaction.hold(database)
    do {
      while transaction.phase.withLock({ $0 == .none }) { try await Task.sleep(for: .milliseconds(5)) }
      let value = try await body()
      transaction.phase.withLock { $0 = .ended }
      try await holding
      return value
    } catch {
      transaction.phase.withLock { $0 = .ended }
      throw error
    }
  }

  private func hold(_ database: Database) async throws {
    defer { phase.withLock { $0 = .ended } }
    try await database.transaction { tx in
      try tx.execute("select pg_current_xact_id()")
      phase.withLock { $0 = .open }
      while phase.withLock({ $0 != .ended }) { try tx.execute("select pg_sleep(0.01)") }
    }
  }
}
