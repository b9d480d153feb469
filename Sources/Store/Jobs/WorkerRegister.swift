package import FoundationEssentials
internal import Glibc
package import Postgres

/// The list of workers: who works, since when, and until when it need not be heard of.
package enum WorkerRegister {
  /// Adds a worker, or takes it back that was declared lost.
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

  /// Says that a worker lives, and lengthens its lease; one that is not in the list stays out of it until it
  /// claims.
  ///
  /// - Parameter oldestBatch: all its claims of earlier batches are acknowledged.
  /// - Returns: whether it is in the list.
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

  /// Ends a worker's lease, as it has handed everything back; what it could not is freed, and it is off the
  /// list.
  package static func remove(_ id: UUID, _ database: Database) async {
    // Unreachable: its lease runs out, which comes to the same.
    _ = try? await database.execute("update core.worker set lease_until = '-infinity' where id = \(id)")
    _ = try? await database.execute("select core.rescue_jobs('its worker stopped')")
  }
}
