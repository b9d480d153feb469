package import Postgres
package import Secrets
package import Store

/// The dependencies of every use case.
package struct Services: Sendable {
  /// The database, under the login of this process.
  package let database: Database
  /// The generator of time-ordered ids.
  package let ids: UUIDv7Generator
  /// The compiled rules of apps, in addition to those in their manifests.
  package let rules: AppRules
  /// Returns the secrets stored outside the database, which it reads on first use.
  package let keys: @Sendable () throws -> Keys
  /// The record types: read once per process, and again after their version has changed.
  package let catalogue = LiveCatalogue()
  /// The time at which commands notify workers of new jobs.
  package let notifiesWorkers: JobNotifier.Moment
  /// The cached workflow choices of companies.
  let followed = FollowedMemory()

  /// Records denied attempts.
  package var denials: DenialAudit { DenialAudit(database) }

  /// - Parameter notifiesWorkers: `inBackground` for a server, whose clients need not wait for the notification.
  package init(
    database: Database,
    ids: UUIDv7Generator = .shared,
    rules: AppRules = .none,
    notifiesWorkers: JobNotifier.Moment = .beforeReturning,
    keys: @escaping @Sendable () throws -> Keys
  ) {
    self.database = database
    self.ids = ids
    self.rules = rules
    self.notifiesWorkers = notifiesWorkers
    self.keys = keys
  }
}
