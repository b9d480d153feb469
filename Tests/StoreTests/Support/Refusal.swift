import Domain
import Postgres
import Testing

/// Refusals of PostgreSQL or the domain, for assertions.
enum Refusal {
  /// Returns the SQLSTATE of a refused statement inside a transaction that continues; nil if it succeeded.
  static func state(_ tx: Transaction, _ body: (Transaction) throws -> Void) throws -> String? {
    do {
      try tx.savepoint { inner in try body(inner) }
      return nil
    } catch let error as PostgresError {
      return error.sqlState?.rawValue ?? error.message
    }
  }

  /// Returns the SQLSTATE of a refused command; nil if it succeeded.
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

  /// Returns the domain error of a refused command.
  static func of(
    _ body: () async throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> DomainError {
    let error = await #expect(throws: DomainError.self, sourceLocation: sourceLocation) { try await body() }
    return try #require(error, sourceLocation: sourceLocation)
  }
}
