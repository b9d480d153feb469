package import Postgres

/// A lock that a test holds, to see who waits for it.
package enum AwaitedLock {
  /// Selects true if another session waits for a lock of this connection. Takes a millisecond, so that a test can ask
  /// again and again without keeping a processor busy.
  package static let isAwaited: SQL = """
    select exists (select from pg_locks l where not l.granted and pg_backend_pid() = any (pg_blocking_pids(l.pid)))
    from pg_sleep(0.001)
    """
}
