package import Postgres
internal import Synchronization

/// Notifies idle workers of new jobs, so that they need not wait for their next poll.
///
/// Sends after the commit, in a transaction of its own, because NOTIFY takes one lock for the whole server
/// while its transaction commits. The first call notifies at once; the calls of the next few milliseconds
/// share one notification. Errors are ignored, because workers poll as well.
package final class JobNotifier: Sendable {
  /// The payload for workers that have to end cancelled jobs.
  package static let stop = "stop"
  /// The payload for workers that have to read changed rules; `core.notify_workers('rules')` sends it.
  package static let rules = "rules"

  /// The time at which a notification is sent.
  package enum Moment: Sendable {
    /// Before the command returns, so that a process may end then.
    case beforeReturning
    /// While the command returns, for a process that goes on.
    case inBackground
  }

  private let database: Database
  private let pace: NotifierPace
  /// The lanes of the next notification; nil if there are none.
  private let notification = Mutex<JobNotification?>(nil)

  /// Returns the channel that workers listen on. Its name is random, because every login of the database can
  /// listen, and only workers can read it.
  ///
  /// - Parameter database: connected as `fettle_worker`.
  package static func channel(_ database: Database) async throws -> String {
    try await database.value("select c.name from core.job_channel c", as: String.self)
  }

  /// - Parameter rest: the time after a notification in which further ones are merged into the next one.
  package init(
    _ database: Database,
    moment: Moment = .beforeReturning,
    rest: Duration = .milliseconds(10)
  ) {
    self.database = database
    pace = NotifierPace(moment, rest: rest)
  }

  /// Notifies workers, at once or together with other notifications after the rest.
  ///
  /// A notification at once is sent at the notifier's ``Moment``.
  ///
  /// - Parameter notification: the lanes that have new jobs; a worker that knows them all need not poll.
  package func notify(_ notification: JobNotification = .unknown) async {
    self.notification.withLock { told in
      if told == nil { told = notification } else { told?.add(notification) }
    }
    await pace.notify { await self.send() }
  }

  /// Notifies workers at once that jobs were cancelled. Errors are ignored.
  package func callOff() async {
    // If the notification fails, workers read the cancellations at their next heartbeat.
    _ = try? await database.execute("select core.notify_workers(\(Self.stop))")
  }

  private func send() async {
    guard let payload = notification.withLock({ $0.take() })?.payload else { return }
    // The notification need not survive a crash, so the commit does not wait for the disk. If it fails, polls
    // find the jobs.
    _ = try? await database.execute(
      "select set_config('synchronous_commit', 'off', true), core.notify_workers(\(payload))"
    )
  }
}
