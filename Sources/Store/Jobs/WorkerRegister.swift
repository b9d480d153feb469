package import FoundationEssentials
internal import Glibc
package import Postgres

/// The list of workers, with their start times and leases.
package enum WorkerRegister {
  /// Registers a worker, or registers it again after it was declared lost.
  package static func add(_ id: UUID, queues: [String], lease: Duration, _ database: Database) async throws {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let process = getpid()
    try await database.execute(
      """
      insert into core.worker (id, host, pid, started_at, heartbeat_at, queues, lease_until)
      values (\(id), \(host), \(process), now(), now(), \(queues),
              clock_timestamp() + make_interval(secs => \(lease.seconds)))
      on conflict (id) do update
      set heartbeat_at = clock_timestamp(), lease_until = excluded.lease_until
      """
    )
  }

  /// Records a heartbeat, which renews the lease. It does not register a worker: an unknown one is registered
  /// by its next claim.
  ///
  /// - Parameter oldestBatch: the first batch that may have unacknowledged claims.
  /// - Returns: true if the worker is registered.
  @discardableResult
  static func renew(_ id: UUID, lease: Duration, oldestBatch: Int64, _ database: Database) async throws
    -> Bool
  {
    try await database.execute(
      """
      update core.worker
      set heartbeat_at = clock_timestamp(), oldest_batch = \(oldestBatch),
          lease_until = clock_timestamp() + make_interval(secs => \(lease.seconds))
      where id = \(id)
      """
    ) > 0
  }

  /// Ends the lease of a worker that has handed back its jobs, and removes the worker. Jobs that it could not
  /// hand back are rescued. Errors are ignored.
  package static func remove(_ id: UUID, _ database: Database) async {
    // If the database is unreachable, the lease expires by itself, which has the same effect.
    _ = try? await database.execute("update core.worker set lease_until = '-infinity' where id = \(id)")
    _ = try? await database.execute("select core.rescue_jobs('its worker stopped')")
  }
}
