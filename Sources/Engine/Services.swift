package import Postgres
package import Secrets

/// What every use case works with.
package struct Services: Sendable {
  /// The database, under the login of this process.
  package let database: Database
  /// Makes ids that sort by time.
  package let ids: UUIDv7Generator
  /// The secrets kept outside the database; read when first needed.
  package let keys: @Sendable () throws -> Keys

  package init(
    database: Database,
    ids: UUIDv7Generator = .shared,
    keys: @escaping @Sendable () throws -> Keys
  ) {
    self.database = database
    self.ids = ids
    self.keys = keys
  }
}
