package import Postgres
package import Secrets
package import Store

/// The dependencies of every use case.
package struct Services: Sendable {
  /// The database, under the login of this process.
  package let database: Database
  /// Generates time-ordered ids.
  package let ids: UUIDv7Generator
  /// The rules that apps add to those of their manifests.
  package let rules: AppRules
  /// The secrets stored outside the database; read on first use.
  package let keys: @Sendable () throws -> Keys
  /// The record types, read once per process and again after their version changes.
  package let catalogue = LiveCatalogue()
  /// The cached workflow choices of companies.
  let followed = FollowedMemory()

  package init(
    database: Database,
    ids: UUIDv7Generator = .shared,
    rules: AppRules = .none,
    keys: @escaping @Sendable () throws -> Keys
  ) {
    self.database = database
    self.ids = ids
    self.rules = rules
    self.keys = keys
  }
}
