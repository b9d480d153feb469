package import Postgres
package import Secrets

/// The fingerprints of the key file that the database knows.
package enum KeyRegistry {
  /// Returns the registered fingerprints; none before the first process with a key file, and nil if the database is not
  /// migrated or the login may not read them.
  package static func read(_ database: Database) async throws -> [KeyFingerprint]? {
    do {
      return try await database.rows(
        "select k.purpose, k.version, k.fingerprint from core.installation_key k order by k.purpose",
        String.self,
        Int32.self,
        [UInt8].self
      ).map { KeyFingerprint(purpose: $0, version: Int($1), bytes: $2) }
    } catch let error as PostgresError where error.isMissingObject {
      return nil
    }
  }

  /// Registers the keys of a file that belongs to the database, or the first ones.
  package static func register(_ keys: Keys, _ database: Database) async throws {
    let newest = keys.fingerprints
    try await database.execute(
      """
      select core.register_keys(\(newest.map(\.purpose)), \(newest.map { Int32(clamping: $0.version) }),
        \(newest.map(\.bytes)), \(keys.allFingerprints.map(\.bytes)))
      """
    )
  }

  /// Replaces the registered fingerprints: the database belongs to these keys from now on.
  package static func accept(_ keys: Keys, _ database: Database) async throws {
    let newest = keys.fingerprints
    try await database.execute(
      """
      select core.accept_keys(\(newest.map(\.purpose)), \(newest.map { Int32(clamping: $0.version) }),
        \(newest.map(\.bytes)))
      """
    )
  }
}

extension PostgresError {
  /// True for a schema or table that does not exist, or that the login may not read.
  fileprivate var isMissingObject: Bool {
    [.undefinedTable, .invalidSchemaName, .insufficientPrivilege].contains(sqlState)
  }
}
