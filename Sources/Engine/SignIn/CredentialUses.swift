package import FoundationEssentials
package import Postgres
package import Store
internal import Synchronization

/// Collects the uses of sessions and API tokens, and records them in batches, off the path of requests.
///
/// The time of the last use is recorded at most once a minute for each credential. It postpones the end of a
/// browser's session by 12 hours.
package final class CredentialUses: Sendable {
  private struct Pending {
    var sessions: [UUID: (company: UUID, at: Instant)] = [:]
    var tokens: [UUID: Instant] = [:]
    /// The latest use that was collected, by the id of the credential.
    var collected: [UUID: Instant] = [:]
  }

  /// The number of credentials whose latest use is remembered. At this number the memory is emptied, and uses are
  /// recorded once more.
  private static let limit = 50_000
  private static let interval: Int64 = 60_000_000

  private let database: Database
  private let pending = Mutex(Pending())

  package init(_ database: Database) {
    self.database = database
  }

  /// Collects a use.
  package func add(_ credential: Credential, company: UUID, at now: Instant) {
    pending.withLock { pending in
      let id =
        switch credential {
        case .session(let id, _), .token(let id): id
        }
      if let last = pending.collected[id], now.microseconds - last.microseconds < Self.interval { return }
      if pending.collected.count >= Self.limit { pending.collected = [:] }
      pending.collected[id] = now
      switch credential {
      case .session(let id, _): pending.sessions[id] = (company, now)
      case .token(let id): pending.tokens[id] = now
      }
    }
  }

  /// Records the collected uses. If that fails, they are lost: a later use is recorded instead.
  ///
  /// - Throws: the database's error.
  package func flush() async throws {
    let batch = pending.withLock { pending in
      defer { (pending.sessions, pending.tokens) = ([:], [:]) }
      return (sessions: pending.sessions, tokens: pending.tokens)
    }
    guard !batch.sessions.isEmpty || !batch.tokens.isEmpty else { return }
    let sessions = batch.sessions.map { (company: $0.value.company, id: $0.key, at: $0.value.at) }
    let tokens = batch.tokens.map { (id: $0.key, at: $0.value) }
    try await database.transaction(TransactionOptions(statementTimeout: .seconds(10))) { tx in
      try SessionStore.touch(sessions: sessions, tokens: tokens, tx)
    }
  }

  /// Records uses every ten seconds until the task is cancelled, and once more then.
  ///
  /// - Parameter report: called with the errors of the database.
  package func run(report: @escaping @Sendable (any Error) -> Void = { _ in }) async {
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .seconds(10))
        try await flush()
      } catch {
        if !Task.isCancelled { report(error) }
      }
    }
    // A task of its own, because statements of a cancelled one fail.
    let last = Task { try await flush() }
    do { try await last.value } catch { report(error) }
  }
}
