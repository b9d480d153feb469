import Domain
import Postgres
import Testing

/// What PostgreSQL or the domain says when it refuses.
enum Refusal {
  /// The SQLSTATE with which a statement was refused inside a transaction that goes on; nil when it was done.
  static func state(_ tx: Transaction, _ body: (Transaction) throws -> Void) throws -> String? {
    do {
      try tx.savepoint { inner in try body(inner) }
      return nil
    } catch let error as PostgresError {
      return error.sqlState?.rawValue ?? error.message
    }
  }

  /// The SQLSTATE with which a command was refused; nil when it was done.
  static func state(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch let error as PostgresError {
      return error.sqlState?.rawValue ?? error.message
    } catch {
      return "\(error)"
    }
  }

  /// The refusal of the domain that a command ended with.
  static func of(
    _ body: () async throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> DomainError {
    let error = await #expect(throws: DomainError.self, sourceLocation: sourceLocation) { try await body() }
    return try #require(error, sourceLocation: sourceLocation)
  }
}
