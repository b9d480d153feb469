internal import Postgres
internal import Synchronization

/// The statements that a database was sent, grouped by round trip.
///
/// Notifications of workers and serving processes are left out, because they belong to no request or unit of work.
final class TracedRoundTrips: Sendable {
  private let state = Mutex<[[SQL]]>([])

  /// The round trips since ``clear()``.
  var all: [[SQL]] { state.withLock { $0 } }

  /// Adds the statements of a round trip.
  func add(_ statements: [SQL]) {
    let isNotification = statements.contains {
      $0.text.contains("core.notify_workers") || $0.text.contains("core.notify_sync")
    }
    if !isNotification { state.withLock { $0.append(statements) } }
  }

  /// Forgets all round trips.
  func clear() { state.withLock { $0 = [] } }
}
