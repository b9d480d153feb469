internal import Postgres
internal import Synchronization

/// The statements that a database was sent for a unit of work, grouped by round trip.
///
/// Notifications of workers and serving processes are left out: they belong to no unit of work, and are sent at most a
/// hundred times per second.
struct Trace: Sendable {
  /// An earlier unit of work of the same process. It fills the caches, as in a server that runs for some time, and shows
  /// which ids are the same in every unit of work.
  let before: [[SQL]]
  let roundTrips: [[SQL]]

  /// Traces two units of work.
  ///
  /// - Parameter open: returns the unit of work with a number, 0 or 1.
  static func of(
    _ server: BenchServer,
    _ open: (Database) async throws -> (Int) async throws -> Void
  ) async throws -> Trace {
    let traced = Traced()
    let database = server.connect(as: "fettle_app") { statements in
      let isNotification = statements.contains {
        $0.text.contains("core.notify_workers") || $0.text.contains("core.notify_sync")
      }
      if !isNotification { traced.state.withLock { $0.append(statements) } }
    }
    let body = try await open(database)
    _ = traced.taken()
    try await body(0)
    let before = traced.taken()
    try await body(1)
    await database.close()
    return Trace(before: before, roundTrips: traced.taken())
  }

  private final class Traced: Sendable {
    let state = Mutex<[[SQL]]>([])

    func taken() -> [[SQL]] {
      state.withLock { state in
        defer { state = [] }
        return state
      }
    }
  }
}
