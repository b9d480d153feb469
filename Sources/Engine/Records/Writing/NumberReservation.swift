internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Reserves the numbers of an import before its transaction, and gives back the unused ones.
struct NumberReservation {
  /// The lock timeout. A reservation waits for running creations, and new creations queue behind it for at
  /// most this time.
  private static let lockTimeout = Duration.milliseconds(300)
  private static let attempts = 30

  let database: Database
  let type: RecordType
  let company: UUID

  /// Reserves `count` numbers, runs a body with them, then gives back the unused ones, also after an error.
  ///
  /// - Throws: the body's error, or `PostgresError` if concurrent creations block the reservation 30 times.
  func around<Value: Sendable>(
    _ count: Int,
    _ body: (NumberBlock?) async throws -> Value
  ) async throws -> Value {
    let block = try await reserve(count)
    do {
      let value = try await body(block)
      await release(block)
      return value
    } catch {
      await release(block)
      throw error
    }
  }

  /// Reserves a block; nil for a type without numbers and for a count of 0.
  private func reserve(_ count: Int) async throws -> NumberBlock? {
    guard let rule = type.definition.number, count > 0 else { return nil }
    var options = TransactionOptions.inside(company)
    options.lockTimeout = Self.lockTimeout
    var attempt = 1
    while true {
      do {
        return try await database.transaction(options) { [type, company] tx in
          try NumberStore.reserve(count, of: type, rule, company: company, tx)
        }
      } catch let error as PostgresError
        where attempt < Self.attempts && error.sqlState == .lockNotAvailable
      {
        attempt += 1
        // Lets queued creations proceed before the next attempt.
        try await Task.sleep(for: .milliseconds(20 * attempt))
      }
    }
  }

  /// Gives back the unused end of the block. If this fails, a gap remains, which numbering allows.
  private func release(_ block: NumberBlock?) async {
    guard let block else { return }
    _ = try? await database.transaction(.inside(company)) { [type, company] tx in
      try tx.execute(NumberStore.release(block, of: type, company: company))
    }
  }
}
