internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Reserves the numbers of an import before its transaction, and returns those that no record got.
struct NumberReservation {
  /// Creations under way are waited for this long at a time, so that the ones behind do not wait longer.
  private static let patience = Duration.milliseconds(300)
  private static let attempts = 30

  let database: Database
  let type: RecordType
  let company: UUID

  /// Runs a body with so many numbers, then returns the unused ones.
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

  /// The block; nil for a type without numbers.
  private func reserve(_ count: Int) async throws -> NumberBlock? {
    guard let rule = type.definition.number, count > 0 else { return nil }
    var options = TransactionOptions.inside(company)
    options.lockTimeout = Self.patience
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
        // Lets the creations behind pass before it queues again.
        try await Task.sleep(for: .milliseconds(20 * attempt))
      }
    }
  }

  /// Returns the end of the block; an error leaves a gap, which numbers may have.
  private func release(_ block: NumberBlock?) async {
    guard let block else { return }
    _ = try? await database.transaction(.inside(company)) { [type, company] tx in
      try tx.execute(NumberStore.release(block, of: type, company: company))
    }
  }
}
